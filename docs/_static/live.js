/* The live figure of a page: the studio, which is loaded when the reader asks for it. */
(() => {
  const { opens, studio } = document.currentScript.dataset;
  document.addEventListener("DOMContentLoaded", () => {
    const picture = document.querySelector("article img");
    if (!picture) return;
    const place = picture.closest("figure, p") ?? picture;
    const button = document.createElement("button");
    button.className = "live";
    button.textContent = "▶ Move it yourself: the live figure";
    button.title = "Loads the simulator into this page. Nothing is sent.";
    button.addEventListener("click", () => {
      const frame = document.createElement("iframe");
      frame.className = "live";
      frame.title = "Live figure: the queue, and sliders that change it";
      frame.src = `${studio}?compact&theme=${document.documentElement.dataset.theme ?? ""}#${opens}`;
      button.replaceWith(frame);
      // A picture of the studio itself has done its duty.
      if (picture.closest("a")) place.remove();
    });
    place.before(button);
  });
})();
