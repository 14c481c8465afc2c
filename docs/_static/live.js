/* The live figure of a discipline's page: the studio, which is loaded when the reader asks for it. */
(() => {
  const { discipline, studio } = document.currentScript.dataset;
  document.addEventListener("DOMContentLoaded", () => {
    const figure = document.querySelector("#behaviour img");
    if (!figure) return;
    const button = document.createElement("button");
    button.className = "live";
    button.textContent = "▶ Move it yourself: the live figure";
    button.title = "Loads the simulator into this page. Nothing is sent.";
    button.addEventListener("click", () => {
      const frame = document.createElement("iframe");
      frame.className = "live";
      frame.title = "Live figure: the queue, and sliders that change it";
      frame.src = `${studio}?compact&theme=${document.documentElement.dataset.theme ?? ""}#queue/${discipline}`;
      button.replaceWith(frame);
    });
    (figure.closest("figure, p") ?? figure).after(button);
  });
})();
