/** Places of the page: where a link leads, and who can open it there. */

/** The address of a page, without query and fragment. */
export function plain(address: string): string {
  return address.replace(/[?#].*$/s, "");
}

/** The address of a hosted copy as it was typed; undefined if it is none. */
export function hosted(typed: string): string | undefined {
  const written = plain(typed.trim());
  try {
    const { protocol, href } = new URL(/^[a-z][a-z0-9+.-]*:/i.test(written) ? written : `https://${written}`);
    return written !== "" && (protocol === "https:" || protocol === "http:") ? href : undefined;
  } catch {
    return undefined;
  }
}

/** Who can open an address: whoever has the file, this machine, or everyone who reaches the server. */
export function reach(address: string): "file" | "machine" | "server" {
  const { protocol, hostname } = new URL(address);
  if (protocol === "file:") return "file";
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? "machine" : "server";
}
