"use strict";
const charts = JSON.parse(document.getElementById("charts").textContent);

// Beside a panel: numbers and title of its axis.
const AXIS = 62;

// A chart of one view fills the width with everything. Of several, the views share what is left
// beside their axes, with fewer in a row where it is narrow.
function fitted(chart, width) {
  const spec = structuredClone(chart.chart);
  spec.datasets = { rows: rowsOf(chart) };
  const beside = ["left", "right"].includes(spec.config.legend.orient);
  if (!beside) spec.config.legend.columns = Math.max(1, Math.min(4, Math.floor(width / 150)));
  // The place of the chart has the name and the description of the image.
  spec.config.aria = false;
  if (spec.concat) {
    const columns = inRow(spec.columns, width, 260);
    spec.columns = columns;
    for (const panel of spec.concat) widen(panel, share(width - AXIS * columns, columns, spec.spacing));
  } else if (spec.spec && spec.columns) {
    const scale = (spec.resolve || {}).scale || {};
    const own = scale.y === "independent";
    const columns = inRow(spec.columns, width, own ? 210 : 170);
    spec.columns = columns;
    // Shared axes would stand below the empty places of the last row.
    if (chart.columns.facet.levels.length % columns) {
      spec.resolve = { ...spec.resolve, axis: { ...(spec.resolve || {}).axis, x: "independent" } };
    }
    widen(spec.spec, share(width - AXIS * (own ? columns : 1), columns, spec.spacing));
  } else if (spec.spec) {
    spec.spec.width = width - AXIS;
  } else {
    spec.width = width;
    spec.autosize = { type: "fit-x", contains: "padding" };
  }
  return spec;
}

// The data come by column, texts as indices into their levels.
function rowsOf(chart) {
  if (!chart.rows) {
    const columns = Object.entries(chart.columns).map(([name, column]) =>
      [name, column.levels ? column.index.map((place) => column.levels[place]) : column]);
    const length = columns.length ? columns[0][1].length : 0;
    chart.rows = Array.from({ length }, (_, row) =>
      Object.fromEntries(columns.map(([name, column]) => [name, column[row]])));
  }
  return chart.rows;
}

// A wider panel is higher too: its axis has a title to hold.
function widen(panel, width) {
  panel.height = Math.round(panel.height * Math.max(1, Math.min(1.6, width / panel.width)));
  panel.width = width;
}

function inRow(most, width, least) {
  return Math.max(1, Math.min(most, Math.floor(width / least)));
}

function share(width, columns, spacing) {
  return Math.max(60, Math.floor((width - (columns - 1) * spacing) / columns));
}

const views = new Map();

async function embed(place, name, width) {
  const view = await vegaEmbed(place, fitted(charts[name], width), {
    renderer: "svg",
    actions: false,
  });
  if (views.has(place)) views.get(place).finalize();
  views.set(place, view);
  const image = place.querySelector("svg.marks");
  image.setAttribute("aria-hidden", "true");
  return image.getBoundingClientRect().width;
}

async function draw(place) {
  const name = place.dataset.figure;
  delete place.dataset.drawn;
  const room = place.clientWidth;
  let width = room;
  // How wide the numbers at several axes are is known when they are drawn.
  for (let attempt = 0; attempt < 3; attempt++) {
    const excess = (await embed(place, name, width)) - room;
    if (excess <= 0) break;
    width -= Math.ceil(excess) + 1;
  }
  place.dataset.drawn = name;
}

// One drawing of a place at a time, in the order of the requests.
const pending = new Map();

function redraw(place) {
  const drawn = (pending.get(place) || Promise.resolve()).then(() => draw(place));
  pending.set(place, drawn);
  return drawn;
}

for (const choice of document.querySelectorAll("select[data-chart]")) {
  choice.addEventListener("change", () => {
    const place = document.getElementById(choice.dataset.chart);
    const { title, caption } = charts[choice.value];
    place.dataset.figure = choice.value;
    place.setAttribute("aria-label", title);
    const figure = place.closest("figure");
    figure.querySelector("h3").textContent = title;
    figure.querySelector("figcaption").textContent = caption;
    const numbers = figure.querySelector(".numbers");
    if (numbers.open) list(numbers);
    redraw(place);
  });
}

// Rows that a table of the numbers shows; the CSV has all of them.
const ROWS = 200;

function shown(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value);
}

function drawn(element) {
  return document.getElementById(element.dataset.chart).dataset.figure;
}

function list(numbers) {
  const chart = charts[drawn(numbers)];
  const rows = rowsOf(chart);
  const names = Object.keys(chart.columns).filter((name) => rows.some((row) => row[name] !== null));
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const name of names) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows.slice(0, ROWS)) {
    const line = body.insertRow();
    for (const name of names) line.insertCell().textContent = shown(row[name]);
  }
  const box = document.createElement("div");
  box.className = "wide tall";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", `Numbers of: ${chart.title}`);
  box.append(table);
  numbers.querySelectorAll(":scope > :not(summary)").forEach((old) => old.remove());
  numbers.append(box);
  if (rows.length > ROWS) {
    const rest = document.createElement("p");
    rest.textContent = `The first ${ROWS} of ${rows.length} rows; the CSV has all of them.`;
    numbers.append(rest);
  }
}

for (const numbers of document.querySelectorAll(".numbers")) {
  numbers.addEventListener("toggle", () => numbers.open && list(numbers));
}

function csv(chart) {
  // A text that a spreadsheet would take for a formula stands behind an apostrophe.
  const plain = (value) =>
    typeof value === "string" ? value.replace(/^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/, "'$&") : String(value ?? "");
  const quoted = (value) =>
    /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  const names = Object.keys(chart.columns);
  const line = (values) => values.map((value) => quoted(plain(value))).join(",");
  const lines = rowsOf(chart).map((row) => line(names.map((name) => row[name])));
  return `data:text/csv;charset=utf-8,${encodeURIComponent([line(names), ...lines].join("\n"))}`;
}

// In the colours of paper, with its title, as wide as a column of text.
async function image(chart, form) {
  const spec = { ...fitted(chart, 640), background: "white" };
  spec.title = { text: chart.title, anchor: "start", fontSize: 13, offset: 12 };
  const { view, finalize } = await vegaEmbed(document.createElement("div"), spec, { actions: false });
  const url = await view.toImageURL(form, 3);
  finalize();
  return url;
}

for (const button of document.querySelectorAll(".save button")) {
  button.addEventListener("click", async () => {
    const name = drawn(button.parentElement);
    const form = button.dataset.form;
    const link = document.createElement("a");
    link.download = `${name}.${form}`;
    link.href = form === "csv" ? csv(charts[name]) : await image(charts[name], form);
    link.click();
  });
}

// Beside the text where there is room, else folded.
const contents = document.querySelector(".contents");
if (contents) {
  const beside = window.matchMedia("(min-width: 70rem)");
  const unfold = () => (contents.open = beside.matches);
  beside.addEventListener("change", unfold);
  unfold();
}

async function drawAll() {
  for (const place of document.querySelectorAll(".chart")) {
    await redraw(place);
    // Lets the browser handle events between two charts.
    await new Promise((next) => setTimeout(next));
  }
}

let drawnAt = window.innerWidth;
let resized;
window.addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(() => {
    if (window.innerWidth !== drawnAt) {
      drawnAt = window.innerWidth;
      drawAll();
    }
  }, 150);
});
drawAll();
