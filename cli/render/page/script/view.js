// Drawings that can be moved and zoomed, and the tabs between them.
const sections = [...document.querySelectorAll("#stages > section")];
const tabs = [...document.querySelectorAll("[role=tab]")];
const views = new Map(); // section -> {x, y, scale}
const prepared = new WeakSet();
const current = () => sections.find((section) => !section.hidden);
const stageOf = (section) => section.id.replace("stage-", "");
const drawing = (section) => section.querySelector(":scope > svg");

const PART = /^([a-z]+)-(?:a_)?([a-z])(\d+)(?:_(\d+))?(?:_(\d+))?[abl]?$/;
const KINDS = { n: "op", f: "op", c: "task", e: "edge", h: "edge", s: "subtasks", p: "slots", t: "managers", x: "gone" };

// A drawing that was kept as text.
function read(kept) {
  return document.importNode(new DOMParser().parseFromString(kept.textContent, "image/svg+xml").documentElement, true);
}

// Give the parts of a drawing their meaning; done when it is shown first, so that a large page opens at once.
function prepare(section) {
  const kept = document.getElementById(`drawing-${stageOf(section)}`);
  if (kept && !drawing(section)) section.append(read(kept));
  const svg = drawing(section);
  if (!svg || prepared.has(svg)) return;
  prepared.add(svg);
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  const titled = new Set();
  for (const part of svg.querySelectorAll("g[id]")) {
    const match = PART.exec(part.id);
    if (!match || !KINDS[match[2]]) continue;
    // The tasks and edges of a variant are not those of the plan; PyFlink may even merge other operators.
    if (svg.dataset.variant && (KINDS[match[2]] !== "op" || !operators.has(Number(match[3])))) continue;
    part.dataset.part = KINDS[match[2]];
    part.dataset.a = match[3];
    if (match[4] !== undefined) part.dataset.b = match[4];
    if (match[5] !== undefined) part.dataset.c = match[5];
    if (part.id.includes("-a_")) titled.add(part.id.replace("-a_", "-"));
  }
  for (const part of svg.querySelectorAll("[data-part]")) {
    if (part.classList.contains("edge")) {
      const line = part.querySelector("path");
      if (line) part.append(hitArea(line));
    } else if (!titled.has(part.id) && part.dataset.part !== "gone" && !part.classList.contains("cluster")) {
      part.setAttribute("role", "button");
      part.setAttribute("tabindex", "-1");
      part.setAttribute("aria-label", partWords(part));
    }
  }
  const first = svg.querySelector("[role=button]");
  if (first) first.setAttribute("tabindex", "0");
}

// A thin line is hard to meet: a wide one that cannot be seen takes the pointer.
function hitArea(line) {
  const wide = document.createElementNS("http://www.w3.org/2000/svg", "path");
  wide.setAttribute("d", line.getAttribute("d"));
  wide.setAttribute("class", "hit");
  return wide;
}

function partWords(part) {
  const a = Number(part.dataset.a);
  if (part.dataset.part === "op") return `operator ${called(operators.get(a))}`;
  if (part.dataset.part === "task") return `task ${a + 1}, ${data.tasks[a].name}`;
  if (part.dataset.part === "edge") return `edge ${edgeName(data.edges[a])}, ${VERDICTS[data.edges[a].verdict]}`;
  if (part.dataset.part === "subtasks") return `subtask ${span(part.dataset.b, part.dataset.c)} of task ${a + 1}`;
  if (part.dataset.part === "slots") return `slot ${span(part.dataset.a, part.dataset.b)}`;
  return `task manager ${span(part.dataset.a, part.dataset.b)}`;
}

function place(section) {
  const svg = drawing(section), view = views.get(section);
  if (!svg || !view) return;
  svg.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
  askForMap();
}

// The whole drawing, in the middle.
function fit(section, smallest = 0.03) {
  const svg = drawing(section);
  if (!svg) return;
  const { clientWidth: width, clientHeight: height } = section;
  const own = svg.viewBox.baseVal;
  const scale = Math.max(Math.min((width - 24) / own.width, (height - 24) / own.height, 1.3), smallest);
  const view = { x: Math.max((width - own.width * scale) / 2, 12), y: Math.max((height - own.height * scale) / 2, 12), scale };
  views.set(section, view);
  place(section);
  if (own.width * scale + 24 > width) startAtFirst(section, view);
}

// The first look: whole, or as much of it as can be read.
const READABLE = 0.85; // of letters that have nine points
const settle = (section) => fit(section, READABLE);

// What does not fit is shown from its first part on: the corner of a wide drawing is often empty.
function startAtFirst(section, view) {
  const first = drawing(section).querySelector("[role=button]");
  if (!first) return;
  const part = first.getBoundingClientRect(), frame = section.getBoundingClientRect();
  const least = section.clientWidth - drawing(section).viewBox.baseVal.width * view.scale - 12;
  view.x = Math.max(Math.min(view.x + frame.left + frame.width / 2 - (part.left + part.width / 2), 12), least);
  view.y += frame.top + 24 - part.top;
  place(section);
}

function zoom(section, factor, x, y) {
  const view = views.get(section);
  if (!view) return;
  const scale = Math.min(Math.max(view.scale * factor, 0.03), 8);
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  place(section);
}
const zoomMiddle = (factor) => zoom(current(), factor, current().clientWidth / 2, current().clientHeight / 2);

function show(name, { focus = false } = {}) {
  if (!tabs.some((tab) => tab.dataset.stage === name)) return;
  for (const section of sections) section.hidden = stageOf(section) !== name;
  for (const tab of tabs) {
    const chosen = tab.dataset.stage === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen && focus) tab.focus();
  }
  if (name === "list") fillList();
  prepare(current());
  if (views.has(current())) place(current());
  else settle(current());
  askForMap();
  drawPath();
  mark();
  find();
  remember();
}

// Bring a part of the drawing into the middle, unless it is well in sight.
function reveal(part) {
  const section = current(), view = views.get(section);
  if (!view) return;
  const box = part.getBoundingClientRect(), frame = section.getBoundingClientRect();
  const inside = box.left > frame.left && box.right < frame.right && box.top > frame.top && box.bottom < frame.bottom;
  if (inside) return;
  view.x += frame.left + frame.width / 2 - (box.left + box.width / 2);
  view.y += frame.top + frame.height / 2 - (box.top + box.height / 2);
  place(section);
}

// One finger or the mouse moves, two fingers zoom; a press that does not move selects.
const fingers = new Map();
let travelled = 0;
for (const section of sections.filter((one) => one.classList.contains("drawing"))) {
  section.addEventListener("wheel", (event) => {
    event.preventDefault();
    const frame = section.getBoundingClientRect();
    zoom(section, Math.exp(-event.deltaY / 500), event.clientX - frame.left, event.clientY - frame.top);
  }, { passive: false });
  section.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    if (fingers.size === 1) travelled = 0;
    section.classList.add("dragging");
  });
  section.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (before) drag(section, before, event);
    else hint(event);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    section.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (!fingers.size) section.classList.remove("dragging");
      if (end !== "pointerup") tip.hidden = true;
    });
  }
  section.addEventListener("click", (event) => {
    if (travelled > 6) return;
    const part = event.target.closest("[data-part]");
    select(part ? selectionOf(part) : null);
  });
}

function drag(section, before, event) {
  const view = views.get(section);
  const frame = section.getBoundingClientRect();
  const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
  travelled += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
  if (other) {
    const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
    zoom(section, apart(event) / apart(before), (event.clientX + other.clientX) / 2 - frame.left, (event.clientY + other.clientY) / 2 - frame.top);
  } else if (view && travelled > 3) {
    if (!section.hasPointerCapture(event.pointerId)) section.setPointerCapture(event.pointerId);
    view.x += event.clientX - before.clientX;
    view.y += event.clientY - before.clientY;
    place(section);
  }
  fingers.set(event.pointerId, event);
}

const tip = document.getElementById("tip");
function hint(event) {
  const part = event.pointerType === "mouse" && event.target.closest("[data-part]");
  const words = part && hintWords(part);
  tip.hidden = !words;
  if (!words) return;
  tip.textContent = words;
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
}

function hintWords(part) {
  const a = Number(part.dataset.a);
  if (part.dataset.part === "op") {
    const operator = operators.get(a);
    return `${called(operator)}\n${operator.place}\noperator id ${operator.id}`;
  }
  if (part.dataset.part === "edge") {
    const edge = data.edges[a];
    return `${edgeName(edge)}\n${edge.partitioner}, ${VERDICTS[edge.verdict]}\n${edge.place}`;
  }
  return part.dataset.part === "gone" ? "" : partWords(part);
}
