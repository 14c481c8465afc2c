/* Excerpts below the results of a search, from texts.js: a browser lets no page load another that is opened as a file. */
(() => {
  const BEFORE = 60;
  const LENGTH = 240;

  /** The piece of a text around the first of the words. */
  function excerpt(text, words) {
    const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
    const at = Math.max(0, Math.min(...found, text.length) - BEFORE);
    const from = at && text.indexOf(" ", at) + 1;
    const to = from + LENGTH < text.length ? text.lastIndexOf(" ", from + LENGTH) : text.length;
    return `${from ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`;
  }

  /** The text with the words marked. */
  function marked(text, words) {
    const line = document.createElement("p");
    line.className = "excerpt";
    const any = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
    text.split(new RegExp(`(${any})`, "i")).forEach((part, index) => {
      const piece = index % 2 ? document.createElement("mark") : document.createTextNode("");
      piece.textContent = part;
      line.append(piece);
    });
    return line;
  }

  /** The sections that a result leads to: one, or all of a page. The words decide which of them is shown. */
  function textOf(link, words) {
    const [page, anchor] = link.getAttribute("href").split("#");
    const sections = Object.entries(TEXTS[page.replace(/\.html$/, "")] ?? {});
    const own = sections.filter(([ids]) => anchor && ids.split(" ").includes(decodeURIComponent(anchor)));
    const texts = (own.length ? own : sections).map(([, text]) => text).filter(Boolean);
    return texts.find((text) => words.some((word) => text.toLowerCase().includes(word))) ?? texts[0];
  }

  document.addEventListener("DOMContentLoaded", () => {
    const query = new URLSearchParams(location.search).get("q") ?? "";
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const results = document.getElementById("search-results");
    if (!words.length || !results) return;
    new MutationObserver((changes) => {
      for (const item of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        const link = item.nodeName === "LI" && item.querySelector("a");
        const text = link && textOf(link, words);
        if (text) item.append(marked(excerpt(text, words), words));
      }
    }).observe(results, { childList: true, subtree: true });
  });
})();
