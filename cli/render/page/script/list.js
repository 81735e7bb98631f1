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
      ...(execution ? [el("div", { class: "inline" }, el("span", { class: "muted" }, `${count(execution.parallelisms[number], "subtask")}: `), subtaskGroups(number, 0, execution.parallelisms[number] - 1))] : []));
  };
  entry.addEventListener("toggle", fill);
  if (data.tasks.length <= 20) { fill(); entry.open = true; }
  return entry;
}

const MOST_ROWS = 400;
function listTable(columns, lines) {
  const row = (cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell)));
  const body = el("tbody", {}, ...lines.slice(0, MOST_ROWS).map(row));
  const table = el("table", { class: "list" },
    el("colgroup", {}, ...columns.map(([, width]) => el("col", { class: width }))),
    el("thead", {}, el("tr", {}, ...columns.map(([head]) => el("th", { scope: "col" }, head)))), body);
  if (lines.length <= MOST_ROWS) return table;
  const more = el("button", { type: "button", click: () => { body.append(...lines.slice(MOST_ROWS).map(row)); more.remove(); } }, `${lines.length - MOST_ROWS} more`);
  return el("div", {}, table, more);
}

function operatorTable(task) {
  const lines = task.operators.map((node) => {
    const operator = operators.get(node);
    return [operatorLink(operator), operator.kind, String(operator.parallelism > 0 ? operator.parallelism : "?"), text(operator.stateWords), el("span", { title: operator.place }, operator.place.replace(/^.*\//, ""))];
  });
  return listTable([["operator", "wide"], ["kind", "small"], ["parallelism", "small"], ["state", ""], ["written at", "place"]], lines);
}

function edgeTable() {
  return listTable([["edge", "wide"], ["verdict", ""], ["partitioner", "small"], ["conditions that fail", ""], ["channels", "small"]], data.edges.map((edge, at) => [edgeLink(at), el("span", {}, chip(edge.verdict)), edge.partitioner, edge.obstacles.join(", ") || (edge.verdict === "open" ? `one of ${edge.open.join(", ")}` : "none"), edge.traffic ? figure(edge.traffic.channels) : "-"]));
}
