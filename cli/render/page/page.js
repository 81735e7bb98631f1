"use strict";
const XLINK = "http://www.w3.org/1999/xlink";
const sections = [...document.querySelectorAll("section")];
const views = new Map(); // section id -> {x, y, scale}
const tooltip = document.getElementById("tooltip");
const search = document.getElementById("search");
const hits = document.getElementById("hits");

const current = () => sections.find((section) => !section.hidden);
const drawing = (section) => section.querySelector(":scope > svg");

// Tooltips are shown by the page: the browser's own come late and cannot be read on a line.
for (const svg of document.querySelectorAll("section > svg")) {
  svg.dataset.width = svg.viewBox.baseVal.width;
  svg.dataset.height = svg.viewBox.baseVal.height;
  svg.setAttribute("width", svg.dataset.width);
  svg.setAttribute("height", svg.dataset.height);
  for (const title of svg.querySelectorAll("title")) title.remove();
  for (const link of svg.querySelectorAll("a")) {
    link.dataset.tip = link.getAttributeNS(XLINK, "title") || "";
    link.removeAttributeNS(XLINK, "title");
  }
}

function place(section) {
  const svg = drawing(section);
  const view = views.get(section.id);
  if (svg && view) svg.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
}

function fit(section) {
  const svg = drawing(section);
  if (!svg) return;
  const { clientWidth: width, clientHeight: height } = section;
  const scale = Math.min(width / svg.dataset.width, height / svg.dataset.height, 1.4) || 1;
  const readable = Math.max(scale, 0.45);
  views.set(section.id, {
    x: Math.max((width - svg.dataset.width * readable) / 2, 0),
    y: Math.max((height - svg.dataset.height * readable) / 2, 0),
    scale: readable,
  });
  place(section);
}

function zoom(section, factor, x, y) {
  const view = views.get(section.id);
  if (!view) return;
  const scale = Math.min(Math.max(view.scale * factor, 0.05), 8);
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  place(section);
}

function zoomMiddle(factor) {
  const section = current();
  zoom(section, factor, section.clientWidth / 2, section.clientHeight / 2);
}

function show(name) {
  for (const section of sections) section.hidden = section.id !== `stage-${name}`;
  for (const tab of document.querySelectorAll("[data-stage]")) {
    tab.setAttribute("aria-selected", String(tab.dataset.stage === name));
  }
  if (!views.has(current().id)) fit(current());
  find();
}

function find() {
  const words = search.value.trim().toLowerCase();
  const svg = drawing(current());
  hits.textContent = "";
  if (!svg) return;
  svg.classList.toggle("searching", words !== "");
  const found = [...svg.querySelectorAll("g.node")].filter((node) => {
    const tips = [...node.querySelectorAll("a")].map((link) => link.dataset.tip).join(" ");
    const hit = words !== "" && `${node.textContent} ${tips}`.toLowerCase().includes(words);
    node.classList.toggle("hit", hit);
    return hit;
  });
  if (words) hits.textContent = found.length === 1 ? "1 hit" : `${found.length} hits`;
  return found;
}

function goTo(node) {
  const section = current();
  const box = node.getBoundingClientRect();
  const frame = section.getBoundingClientRect();
  const view = views.get(section.id);
  view.x += frame.left + frame.width / 2 - (box.left + box.width / 2);
  view.y += frame.top + frame.height / 2 - (box.top + box.height / 2);
  place(section);
}

for (const section of sections.filter(drawing)) {
  section.addEventListener("wheel", (event) => {
    event.preventDefault();
    const frame = section.getBoundingClientRect();
    zoom(section, Math.exp(-event.deltaY / 500), event.clientX - frame.left, event.clientY - frame.top);
  }, { passive: false });
  section.addEventListener("pointerdown", (event) => {
    section.setPointerCapture(event.pointerId);
    section.classList.add("dragging");
  });
  section.addEventListener("pointermove", (event) => {
    const view = views.get(section.id);
    if (section.classList.contains("dragging") && view) {
      view.x += event.movementX;
      view.y += event.movementY;
      place(section);
    }
  });
  for (const end of ["pointerup", "pointercancel"]) {
    section.addEventListener(end, () => section.classList.remove("dragging"));
  }
  section.addEventListener("mousemove", (event) => {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const link = under && under.closest("a");
    const tip = link && link.dataset.tip ? link.dataset.tip.trim() : "";
    tooltip.hidden = !tip;
    if (!tip) return;
    tooltip.textContent = tip;
    tooltip.style.left = `${Math.min(event.clientX + 14, innerWidth - tooltip.offsetWidth - 8)}px`;
    tooltip.style.top = `${Math.min(event.clientY + 14, innerHeight - tooltip.offsetHeight - 8)}px`;
  });
  section.addEventListener("mouseleave", () => { tooltip.hidden = true; });
}

let turn = 0;
search.addEventListener("input", () => { turn = 0; find(); });
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { search.value = ""; find(); search.blur(); }
  if (event.key === "Enter") {
    const found = find();
    if (found && found.length) goTo(found[turn++ % found.length]);
  }
});
for (const tab of document.querySelectorAll("[data-stage]")) tab.addEventListener("click", () => show(tab.dataset.stage));
document.getElementById("in").addEventListener("click", () => zoomMiddle(1.25));
document.getElementById("out").addEventListener("click", () => zoomMiddle(0.8));
document.getElementById("fit").addEventListener("click", () => fit(current()));
document.addEventListener("keydown", (event) => {
  if (event.target === search || event.ctrlKey || event.metaKey) return;
  if (event.key === "/") { event.preventDefault(); search.focus(); }
  if (event.key === "+") zoomMiddle(1.25);
  if (event.key === "-") zoomMiddle(0.8);
  if (event.key === "0") fit(current());
});
addEventListener("resize", () => { views.clear(); fit(current()); });
show("job");
