// The plan as it was written into the page, and how its parts belong together.
const data = JSON.parse(document.getElementById("data").textContent);
const text = (number) => data.texts[number];
const operators = new Map(data.operators.map((operator) => [operator.node, operator]));
const byKey = new Map(data.operators.map((operator) => [operator.key, operator]));
const inputs = new Map(), outputs = new Map();
data.edges.forEach((edge, number) => {
  (inputs.get(edge.target) || inputs.set(edge.target, []).get(edge.target)).push(number);
  (outputs.get(edge.source) || outputs.set(edge.source, []).get(edge.source)).push(number);
});
const execution = data.execution;
const STAGES = ["stream", "job", "execution", "physical"];
const TITLES = { stream: "Stream graph", job: "Job graph", execution: "Execution graph", physical: "Physical", list: "List", explain: "Explanation" };

// An element with attributes and children; text is always text, never markup.
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "click") made.addEventListener("click", value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

const count = (number, noun) => `${number.toLocaleString("en").replaceAll(",", "\u202f")} ${noun}${number === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;
const span = (low, high) => (low === high ? `${low}` : `${low}-${high}`);
const called = (operator) => (operator.key === operator.name ? operator.name : `${operator.name} (${operator.key})`);
const uses = new Map();
for (const { name } of data.operators) uses.set(name, (uses.get(name) || 0) + 1);
const told = (operator) => (uses.get(operator.name) > 1 ? called(operator) : operator.name); // apart from its namesakes
const edgeName = (edge) => `${told(operators.get(edge.source))} → ${told(operators.get(edge.target))}`;

// Numbers that were folded into runs of [first, how many, step].
const unfolded = new Map();
function unfold(runs) {
  if (!unfolded.has(runs)) {
    const numbers = [];
    for (const [first, length, step] of runs) for (let at = 0; at < length; at++) numbers.push(first + at * step);
    unfolded.set(runs, numbers);
  }
  return unfolded.get(runs);
}

// Numbers as ranges: [[0, 3], [7, 7]].
function ranges(numbers) {
  const found = [];
  for (const number of numbers) {
    if (found.length && found[found.length - 1][1] + 1 === number) found[found.length - 1][1] = number;
    else found.push([number, number]);
  }
  return found;
}
const rangeWords = (numbers) => {
  const found = ranges([...new Set(numbers)].sort((a, b) => a - b));
  const shown = found.slice(0, 8).map(([low, high]) => span(low, high)).join(", ");
  return found.length > 8 ? `${shown} and ${found.length - 8} more` : shown;
};

const slotOf = (task, subtask) => unfold(execution.slotOf[task])[subtask];
const regionOf = (task, subtask) => unfold(execution.regionOf[task])[subtask];
const slotsOf = (task) => (execution ? unfold(execution.slotOf[task]) : []);
const managerOf = (slot) => (execution.placement ? unfold(execution.placement.managerOf)[slot] : null);

// The subtasks that share a number (a slot or a region), by task.
function membersOf(which, number) {
  const found = [];
  execution[which].forEach((runs, task) => {
    const subtasks = [];
    unfold(runs).forEach((value, subtask) => { if (value === number) subtasks.push(subtask); });
    if (subtasks.length) found.push([task, subtasks]);
  });
  return found;
}

// Everything before an operator: what a generated id depends on.
function ancestors(node) {
  const found = new Set();
  const waiting = [node];
  while (waiting.length) {
    for (const number of inputs.get(waiting.pop()) || []) {
      const source = data.edges[number].source;
      if (!found.has(source)) { found.add(source); waiting.push(source); }
    }
  }
  return [...found].sort((a, b) => a - b).map((one) => operators.get(one));
}
