// The whole drawing in a corner, where it does not fit: what is in sight is framed, a press moves there.
const map = document.getElementById("map");
const SVG = "http://www.w3.org/2000/svg";
const mapped = new WeakMap(); // drawing -> its small copy
const MAP_WIDTH = 180, MAP_HEIGHT = 150;

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// One rectangle for each frame, or where there is none for each box.
const FRAMES = ["g.cluster", "g.node[data-part]:not(.label)", "[data-part=managers]", "[data-part=slots]"];
function smallCopy(svg) {
  const own = svg.viewBox.baseVal;
  const copy = shape("svg", { viewBox: `0 0 ${own.width} ${own.height}`, preserveAspectRatio: "xMidYMid meet" });
  const frames = FRAMES.map((kind) => svg.querySelectorAll(kind)).find((found) => found.length) || [];
  const paper = svg.getBoundingClientRect(), scale = own.width / paper.width;
  for (const frame of frames) {
    const { left, top, width, height } = frame.getBoundingClientRect();
    copy.append(shape("rect", { x: (left - paper.left) * scale, y: (top - paper.top) * scale, width: width * scale, height: height * scale, class: "part" }));
  }
  copy.append(shape("rect", { class: "window" }));
  return copy;
}

let asked = 0;
function askForMap() {
  if (!asked) asked = requestAnimationFrame(() => { asked = 0; drawMap(); });
}

function drawMap() {
  const section = current(), svg = drawing(section);
  const view = views.get(section);
  const own = svg && svg.viewBox.baseVal;
  map.hidden = !svg || !view || (own.width * view.scale <= section.clientWidth && own.height * view.scale <= section.clientHeight);
  if (map.hidden) return;
  if (!mapped.has(svg)) mapped.set(svg, smallCopy(svg));
  const scale = Math.min(MAP_WIDTH / own.width, MAP_HEIGHT / own.height);
  const copy = mapped.get(svg);
  copy.setAttribute("width", own.width * scale);
  copy.setAttribute("height", own.height * scale);
  if (copy.parentNode !== map) map.replaceChildren(copy);
  drawWindow(section, view);
}

function drawWindow(section, view) {
  const copy = mapped.get(drawing(section));
  if (!copy || copy.parentNode !== map) return;
  const own = copy.viewBox.baseVal;
  const side = (from, length, whole) => { const low = Math.min(Math.max(from, 0), whole); return [low, Math.max(Math.min(from + length, whole) - low, 0)]; };
  const [x, width] = side(-view.x / view.scale, section.clientWidth / view.scale, own.width);
  const [y, height] = side(-view.y / view.scale, section.clientHeight / view.scale, own.height);
  for (const [name, value] of Object.entries({ x, y, width, height })) copy.lastChild.setAttribute(name, value);
}

function lookAt(event) {
  const section = current(), view = views.get(section), svg = drawing(section);
  if (!view || !svg) return;
  const frame = map.firstChild.getBoundingClientRect(), own = svg.viewBox.baseVal;
  view.x = section.clientWidth / 2 - ((event.clientX - frame.left) / frame.width) * own.width * view.scale;
  view.y = section.clientHeight / 2 - ((event.clientY - frame.top) / frame.height) * own.height * view.scale;
  place(section);
}
map.addEventListener("pointerdown", (event) => { map.setPointerCapture(event.pointerId); lookAt(event); event.preventDefault(); });
map.addEventListener("pointermove", (event) => { if (map.hasPointerCapture(event.pointerId)) lookAt(event); });
