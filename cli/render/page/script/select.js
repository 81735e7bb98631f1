// What is selected, how it is marked in every stage, and the address that leads back to it.
const VERDICTS = { chained: "chained", broken: "not chained, a change would chain it", needed: "not chained, the exchange is needed", fixed: "not chained, nothing to change", open: "not chained, or not certain: Flink does not tell what would chain it" };
let selection = null; // {type, ...}
let variant = null; // number of the what-if that is shown

function selectionOf(part) {
  const [a, b, c] = [part.dataset.a, part.dataset.b, part.dataset.c].map((value) => (value === undefined ? null : Number(value)));
  switch (part.dataset.part) {
    case "op": return { type: "op", node: a };
    case "task": return { type: "task", task: a };
    case "edge": return { type: "edge", edge: a };
    case "subtasks": return b === c ? { type: "subtask", task: a, subtask: b } : { type: "group", task: a, first: b, last: c };
    case "slots": return a === b ? { type: "slot", slot: a } : { type: "slots", first: a, last: b };
    case "managers": return { type: "managers", first: a, last: b };
    default: return null;
  }
}

function select(chosen, { stage = null, focus = false } = {}) {
  selection = chosen;
  if (stage && stage !== stageOf(current())) show(stage);
  drawPanel();
  drawPath();
  mark();
  remember();
  const part = chosen && current().querySelector(":scope > svg .on");
  if (part) reveal(part);
  if (focus) document.getElementById("panel").focus();
}

// The operators, tasks, edges, subtasks and slots that belong to what is selected.
function related() {
  const none = { nodes: new Set(), tasks: new Set(), edges: new Set(), subtasks: () => false, slots: new Set() };
  if (!selection) return null;
  const of = (tasks, nodes, edges = []) => ({
    nodes: new Set(nodes), tasks: new Set(tasks), edges: new Set(edges),
    subtasks: (task) => tasks.includes(task),
    slots: new Set(tasks.flatMap((task) => slotsOf(task))),
  });
  const taskOf = (node) => operators.get(node).task;
  switch (selection.type) {
    case "op": return of([taskOf(selection.node)], [selection.node]);
    case "task": return of([selection.task], data.tasks[selection.task].operators);
    case "edge": {
      const { source, target } = data.edges[selection.edge];
      return of([...new Set([taskOf(source), taskOf(target)])], [source, target], [selection.edge]);
    }
    case "subtask": return inRange(selection.task, selection.subtask, selection.subtask);
    case "group": return inRange(selection.task, selection.first, selection.last);
    case "slot": case "slots": {
      const { first = selection.slot, last = selection.slot } = selection;
      const members = membersOf("slotOf", first);
      return { ...none, tasks: new Set(members.map(([task]) => task)), slots: new Set(numbers(first, last)),
        nodes: new Set(members.flatMap(([task]) => data.tasks[task].operators)),
        subtasks: (task, low, high) => members.some(([one, own]) => one === task && own.some((number) => number >= low && number <= high)) };
    }
    default: return none;
  }
}
const numbers = (first, last) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
const inRange = (task, first, last) => ({
  nodes: new Set(data.tasks[task].operators), tasks: new Set([task]), edges: new Set(),
  subtasks: (one, low, high) => one === task && low <= last && first <= high,
  slots: new Set(numbers(first, last).map((subtask) => slotOf(task, subtask))),
});

function isOn(part, marks) {
  const [a, b, c] = [part.dataset.a, part.dataset.b, part.dataset.c].map(Number);
  switch (part.dataset.part) {
    case "op": return marks.nodes.has(a);
    case "task": return marks.tasks.has(a);
    case "edge": return marks.edges.has(a);
    case "subtasks": return marks.subtasks(a, b, c);
    case "slots": return numbers(a, b).some((slot) => marks.slots.has(slot));
    case "managers": return execution.placement && [...marks.slots].some((slot) => managerOf(slot) >= a && managerOf(slot) <= b);
    default: return false;
  }
}

// What was selected itself, and not what belongs to it.
const MAIN = { op: ["op"], task: ["task"], edge: ["edge"], subtask: ["subtasks"], group: ["subtasks"], slot: ["slots"], slots: ["slots"], managers: ["managers"] };
const isMain = (part) => MAIN[selection.type].includes(part.dataset.part);

function mark() {
  const svg = drawing(current());
  if (!svg) return;
  const marks = related();
  const shown = variant === null ? null : data.variants[variant];
  svg.classList.toggle("picking", marks !== null);
  for (const part of svg.querySelectorAll("[data-part]")) {
    const on = marks !== null && isOn(part, marks);
    part.classList.toggle("on", on);
    part.classList.toggle("main", on && isMain(part));
    part.classList.toggle("rest", marks !== null && !svg.dataset.variant && !on && !near(part, marks)); // a what-if is looked at as a whole
    part.classList.toggle("would", Boolean(shown) && part.classList.contains("edge") && shown.chained.includes(Number(part.dataset.a)));
    if (part.getAttribute("role") === "button") part.setAttribute("aria-pressed", String(on));
  }
}

// Frames around a selected part, and edges at it, are not dimmed.
function near(part, marks) {
  if (part.classList.contains("edge") || part.classList.contains("label")) {
    const edge = data.edges[Number(part.dataset.a)];
    return marks.edges.size === 0 && (marks.nodes.has(edge.source) || marks.nodes.has(edge.target));
  }
  return part.classList.contains("cluster") || Boolean(part.querySelector(".on")) || (part.dataset.part === "op" && marks.tasks.size > 0 && marks.tasks.has(operators.get(Number(part.dataset.a)).task));
}

// What a stage shows, for those who see it for the first time.
const STAGE_WORDS = {
  stream: "every operator as the job has it. Frames show which of them Flink chains into one task.",
  job: "one frame per task. The operators in it are chained: they run one after the other, without a network between them.",
  execution: "every task in parallel. Each small box is a subtask; lines are the channels between subtasks.",
  physical: "which subtasks share a slot.",
  list: "the same plan as tables.",
  explain: "what plan explain prints.",
};
function stageWords(stage) {
  const words = stage === "physical" && execution && execution.placement ? "which subtasks share a slot, on which task manager." : STAGE_WORDS[stage];
  return stage === "explain" ? words : `${words} Select a part to see why, and to follow it through all stages.`;
}

// --- the path in words -----------------------------------------------------------------------------------------------
function drawPath() {
  const path = document.getElementById("path");
  path.replaceChildren();
  const task = selection && taskSelected();
  if (!selection || task === null) {
    path.append(...(selection ? placeWords() : [el("span", {}, el("b", {}, `${TITLES[stageOf(current())]}: `), el("span", { class: "muted" }, stageWords(stageOf(current()))))]));
    return;
  }
  const steps = []; // [stage, words]
  const operator = selection.type === "op" ? operators.get(selection.node) : null;
  if (operator) steps.push(["stream", `operator ${called(operator)}`]);
  const name = data.tasks[task].name;
  steps.push(["job", `task ${task + 1}${operator ? "" : `: ${name}`}`]);
  if (execution) {
    const [low, high] = subtasksSelected(task);
    const slots = low === high ? [slotOf(task, low)] : slotsOf(task).slice(low, high + 1);
    steps.push(["execution", low === high ? `subtask ${low}` : `subtasks ${low}-${high}`]);
    steps.push(["physical", `slot${slots.length === 1 ? "" : "s"} ${rangeWords(slots)}`]);
    const managers = execution.placement ? [...new Set(slots.map(managerOf))] : [];
    if (managers.length) steps.push(["physical", `task manager${managers.length === 1 ? "" : "s"} ${rangeWords(managers)}`]);
  }
  steps.forEach(([stage, words], at) => {
    if (at) path.append(el("span", { class: "muted", "aria-hidden": "true" }, "→"));
    path.append(link(words, selection, stage));
  });
}

// An edge lies between two tasks, or in one; slots and task managers are their own place.
function placeWords() {
  if (selection.type !== "edge") return [el("span", { class: "muted" }, panelTitle())];
  const { source, target } = data.edges[selection.edge];
  const [from, to] = [source, target].map((node) => operators.get(node).task);
  return [link(`edge ${panelTitle()}`, selection, "stream"), el("span", { class: "muted", "aria-hidden": "true" }, "→"),
    link(from === to ? `inside task ${from + 1}` : `from task ${from + 1} to task ${to + 1}`, selection, "job"),
    ...(from === to || !execution ? [] : [el("span", { class: "muted", "aria-hidden": "true" }, "→"), link(count(data.edges[selection.edge].traffic.channels, "channel"), selection, "execution")])];
}

function taskSelected() {
  if (selection.type === "op") return operators.get(selection.node).task;
  return ["task", "subtask", "group"].includes(selection.type) ? selection.task : null;
}

function subtasksSelected(task) {
  if (selection.type === "subtask") return [selection.subtask, selection.subtask];
  if (selection.type === "group") return [selection.first, selection.last];
  return [0, execution.parallelisms[task] - 1];
}

// --- addresses: #stage=job&edge=a:b ----------------------------------------------------------------------------------
const word = (key) => encodeURIComponent(key).replaceAll("%20", "+");
const unword = (written) => decodeURIComponent(written.replaceAll("+", " "));

function address(chosen, stage) {
  const parts = [`stage=${stage || stageOf(current())}`];
  switch (chosen && chosen.type) {
    case "op": parts.push(`op=${word(operators.get(chosen.node).key)}`); break;
    case "task": parts.push(`task=${chosen.task + 1}`); break;
    case "subtask": parts.push(`subtask=${chosen.task + 1}:${chosen.subtask}`); break;
    case "slot": parts.push(`slot=${chosen.slot}`); break;
    case "edge": parts.push(`edge=${edgeWord(chosen.edge)}`); break;
  }
  if (variant !== null) parts.push(`whatif=${variant + 1}`);
  return `#${parts.join("&")}`;
}

function edgeWord(number) {
  const edge = data.edges[number];
  const same = data.edges.map((_, at) => at).filter((at) => data.edges[at].source === edge.source && data.edges[at].target === edge.target);
  const ends = `${word(operators.get(edge.source).key)}:${word(operators.get(edge.target).key)}`;
  return same[0] === number ? ends : `${ends}:${same.indexOf(number) + 1}`;
}

let quiet = false;
function remember() {
  if (quiet) return;
  try { history.replaceState(null, "", address(selection)); } catch { /* a page in a frame without an address of its own */ }
}

function follow(hash) {
  const asked = new Map();
  try {
    for (const part of hash.slice(1).split("&")) asked.set(part.split("=")[0], part.slice(part.indexOf("=") + 1));
    quiet = true;
    const chosen = selectionAsked(asked);
    if (asked.has("whatif") && data.variants[Number(asked.get("whatif")) - 1]) switchTo(Number(asked.get("whatif")) - 1);
    show(asked.get("stage") || STAGE_OF[chosen && chosen.type] || "job");
    select(chosen);
  } catch { show("job"); select(null); } finally { quiet = false; }
}
const STAGE_OF = { op: "stream", subtask: "execution", slot: "physical" };

function selectionAsked(asked) {
  const [name, value] = [...asked].find(([key]) => ["op", "task", "subtask", "slot", "edge"].includes(key)) || [];
  if (!name) return null;
  const parts = value.split(":").map(unword);
  const operator = byKey.get(parts[0]);
  if (name === "op" && operator) return { type: "op", node: operator.node };
  if (name === "task" && data.tasks[parts[0] - 1]) return { type: "task", task: parts[0] - 1 };
  if (name === "slot" && execution && parts[0] < execution.slots) return { type: "slot", slot: Number(parts[0]) };
  if (name === "subtask" && execution && parts[1] < execution.parallelisms[parts[0] - 1]) return { type: "subtask", task: parts[0] - 1, subtask: Number(parts[1]) };
  if (name === "edge" && operator && byKey.has(parts[1])) {
    const found = data.edges.map((_, at) => at).filter((at) => data.edges[at].source === operator.node && data.edges[at].target === byKey.get(parts[1]).node);
    if (found.length) return { type: "edge", edge: found[(parts[2] || 1) - 1] ?? found[0] };
  }
  return null;
}
