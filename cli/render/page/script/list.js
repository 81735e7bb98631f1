// The same plan as lists: for screen readers, for printing, and for plans that are too large to look at.
let filled = false;

function fillList() {
  if (filled) return;
  filled = true;
  const section = document.getElementById("stage-list");
  section.append(el("h2", {}, "Tasks, in Flink's order"), ...data.tasks.map((_, at) => taskEntry(at)), el("h2", {}, "Edges"), edgeTable());
}

// Opened where there are few; the inside of a closed one is made when it is opened.
function taskEntry(number) {
  const task = data.tasks[number];
  const facts = [task.parallelism > 0 ? `parallelism ${task.parallelism}` : "parallelism decided at run time", count(task.operators.length, "operator")];
  const entry = el("details", {}, el("summary", {}, el("b", {}, `task ${number + 1}`), ` ${task.name} `, el("span", { class: "muted" }, facts.join(", "))));
  const fill = () => {
    if (entry.children.length > 1) return;
    entry.append(
      operatorTable(task),
      el("p", {}, link("everything on this task", { type: "task", task: number })),
      ...(execution ? [el("p", {}, "Subtasks:"), subtaskGroups(number, 0, execution.parallelisms[number] - 1)] : []));
  };
  entry.addEventListener("toggle", fill);
  if (data.tasks.length <= 20) { fill(); entry.open = true; }
  return entry;
}

const MOST_ROWS = 400;
function listTable(heads, lines) {
  const body = el("tbody", {}, ...lines.slice(0, MOST_ROWS).map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell)))));
  const table = el("table", { class: "list" }, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), body);
  if (lines.length <= MOST_ROWS) return table;
  const more = el("button", { type: "button", click: () => { body.append(...lines.slice(MOST_ROWS).map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell))))); more.remove(); } }, `${lines.length - MOST_ROWS} more`);
  return el("div", {}, table, more);
}

function operatorTable(task) {
  const lines = task.operators.map((node) => {
    const operator = operators.get(node);
    return [operatorLink(operator), operator.kind, String(operator.parallelism > 0 ? operator.parallelism : "?"), text(operator.stateWords), operator.place];
  });
  return listTable(["operator", "kind", "parallelism", "state", "written at"], lines);
}

function edgeTable() {
  return listTable(["edge", "verdict", "partitioner", "conditions that fail", "channels"], data.edges.map((edge, at) => [edgeLink(at), VERDICTS[edge.verdict], edge.partitioner, edge.obstacles.join(", ") || "none", edge.traffic ? String(edge.traffic.channels) : "-"]));
}
