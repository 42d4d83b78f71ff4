"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);

// The order is that of the categories in picture.rs.
const CATEGORIES = [
  ["puts", "#3b82f6"], ["gets", "#14b8a6"], ["atomics", "#8b5cf6"], ["messages", "#f59e0b"], ["handlers", "#84a317"],
  ["synchronisation", "#ec4899"], ["barriers", "#dc2626"], ["collectives", "#a8562a"], ["polls", "#8a94a0"],
  ["locks", "#57606c"], ["other calls", "#b9c0c8"],
];

const count = (n) => Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, " ");
const us = (ns) => (ns / 1e3).toFixed(3);
const seconds = (ns) => (ns / 1e9).toFixed(9);
const rank_name = (group, each) => (each > 1 ? `${group * each}-${group * each + each - 1}` : `${group}`);

function fill_table(table, heads, rows, text_columns, choose) {
  const head = table.createTHead().insertRow();
  heads.forEach((name, column) => {
    const cell = document.createElement("th");
    cell.textContent = name;
    if (column < text_columns) cell.className = "text";
    head.append(cell);
  });
  const body = table.createTBody();
  rows.forEach((values, number) => {
    const row = body.insertRow();
    values.forEach((value, column) => {
      const cell = row.insertCell();
      cell.textContent = value;
      if (column < text_columns) cell.className = "text";
    });
    if (choose) {
      row.className = "choose";
      row.addEventListener("click", () => choose(number));
    }
  });
}

// A canvas of that many CSS pixels, drawn at the screen's resolution.
function canvas_of(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  return pen;
}

const style_of = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

at("about").textContent =
  `${count(data.events)} events of ${data.ranks} ranks, ${data.files.join(" ")}` +
  (data.file_count > data.files.length ? ` and ${data.file_count - data.files.length} more files` : "");

// --- who talks to whom ---

const KINDS = ["messages", "puts", "gets", "atomics"];
const groups = Math.ceil(data.ranks / data.ranks_each);
const LEFT = 64, TOP = 26;
let traffic_cell = 0;

function traffic_value([, , calls, bytes]) {
  const kind = at("traffic-kind").value, values = at("traffic-unit").value === "calls" ? calls : bytes;
  return kind === "all" ? values.reduce((a, b) => a + b, 0) : values[Number(kind)];
}

function draw_traffic() {
  traffic_cell = Math.max(5, Math.min(48, Math.floor(640 / groups)));
  const size = traffic_cell * groups;
  const pen = canvas_of(at("traffic-picture"), LEFT + size + 8, TOP + size + 8);
  const most = Math.max(1, ...data.traffic.map(traffic_value));
  const ink = style_of("--ink"), soft = style_of("--soft"), line = style_of("--line");
  for (const entry of data.traffic) {
    const value = traffic_value(entry), [from, to] = entry;
    if (!value) continue;
    // By the square root: small amounts are seen beside large ones.
    const share = Math.sqrt(value / most);
    const [x, y] = [LEFT + to * traffic_cell, TOP + from * traffic_cell];
    pen.fillStyle = `rgba(29, 95, 168, ${0.08 + 0.92 * share})`;
    pen.fillRect(x, y, traffic_cell - 1, traffic_cell - 1);
    if (traffic_cell >= 40) {
      pen.fillStyle = share > 0.5 ? "#fff" : ink;
      pen.textAlign = "center";
      pen.fillText(short(value), x + traffic_cell / 2, y + traffic_cell / 2, traffic_cell - 4);
    }
  }
  pen.strokeStyle = line;
  pen.strokeRect(LEFT - 0.5, TOP - 0.5, size, size);
  pen.fillStyle = soft;
  const step = Math.ceil(18 / traffic_cell), wide = Math.ceil(48 / traffic_cell);
  for (let group = 0; group < groups; group += step) {
    pen.textAlign = "right";
    pen.fillText(rank_name(group, data.ranks_each), LEFT - 6, TOP + (group + 0.5) * traffic_cell);
  }
  for (let group = 0; group < groups; group += wide) {
    pen.textAlign = "center";
    pen.fillText(rank_name(group, data.ranks_each), LEFT + (group + 0.5) * traffic_cell, TOP - 12);
  }
}

function short(value) {
  for (const [unit, suffix] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value >= unit) return (value / unit).toFixed(value >= 10 * unit ? 0 : 1) + suffix;
  }
  return String(value);
}

const traffic_of = new Map(data.traffic.map((entry) => [entry[0] * groups + entry[1], entry]));
at("traffic-picture").addEventListener("mousemove", (event) => {
  const to = Math.floor((event.offsetX - LEFT) / traffic_cell), from = Math.floor((event.offsetY - TOP) / traffic_cell);
  const entry = to >= 0 && from >= 0 && to < groups && from < groups ? traffic_of.get(from * groups + to) : undefined;
  at("traffic-at").textContent = entry
    ? `${rank_name(from, data.ranks_each)} → ${rank_name(to, data.ranks_each)}: ` +
      KINDS.map((name, kind) => (entry[2][kind] ? `${count(entry[2][kind])} ${name} of ${count(entry[3][kind])} bytes` : ""))
        .filter(Boolean).join(", ")
    : "";
});
for (const id of ["traffic-kind", "traffic-unit"]) at(id).addEventListener("change", draw_traffic);

function sum_of(list, from) {
  return list.reduce((all, entry) => all + from(entry), 0);
}
fill_table(at("traffic-totals"), ["all ranks", "number", "bytes"],
  KINDS.map((name, kind) => [name, sum_of(data.traffic, (e) => e[2][kind]), sum_of(data.traffic, (e) => e[3][kind])]), 1);

// --- time by call and rank ---

const legend = at("legend");
CATEGORIES.forEach(([name, colour]) => {
  const item = document.createElement("span"), box = document.createElement("i");
  box.style.background = colour;
  item.append(box, name);
  legend.append(item);
});

const time_row = Math.max(5, Math.min(22, Math.floor(640 / groups)));
const by_group = Array.from({ length: groups }, () => []);
for (const [name, category, , , , , , ranks] of data.calls) {
  for (const [group, ns] of ranks) by_group[group].push([name, category, ns]);
}
const most_time = Math.max(1, ...by_group.map((calls) => sum_of(calls, (call) => call[2])));

function draw_time() {
  const width = Math.min(1120, document.body.clientWidth - 48);
  const pen = canvas_of(at("time-picture"), width, time_row * groups + 4);
  by_group.forEach((calls, group) => {
    let x = LEFT;
    for (const [, category, ns] of calls) {
      const wide = (ns / most_time) * (width - LEFT - 90);
      pen.fillStyle = CATEGORIES[category][1];
      pen.fillRect(x, group * time_row + 1, wide, time_row - 1);
      x += wide;
    }
    if (time_row >= 12 || group % Math.ceil(14 / time_row) === 0) {
      pen.fillStyle = style_of("--soft");
      pen.textAlign = "right";
      pen.fillText(rank_name(group, data.ranks_each), LEFT - 6, (group + 0.5) * time_row);
      pen.textAlign = "left";
      pen.fillText(`${(sum_of(calls, (call) => call[2]) / 1e6).toFixed(3)} ms`, x + 6, (group + 0.5) * time_row);
    }
  });
}
at("time-picture").addEventListener("mousemove", (event) => {
  const calls = by_group[Math.floor(event.offsetY / time_row)] || [];
  const width = at("time-picture").clientWidth;
  let x = LEFT, found = "";
  for (const [name, , ns] of calls) {
    const wide = (ns / most_time) * (width - LEFT - 90);
    if (event.offsetX >= x && event.offsetX < x + wide) found = `${name}: ${us(ns)} us`;
    x += wide;
  }
  at("time-at").textContent = found;
});

fill_table(at("calls"), ["call", "category", "calls", "bytes", "total us", "own us", "longest us"],
  data.calls.map(([name, category, calls, bytes, ns, own, most]) =>
    [name, CATEGORIES[category][0], calls, bytes, us(ns), us(own), us(most)]), 2);

// --- waits ---

const wait_rows = data.waits.places.map(([place, call, n, ns, [longest, , rank]]) =>
  [data.places[place], data.call_names[call][0], n, us(ns), us(ns / n), us(longest), rank]);
if (data.waits.rest[0]) {
  const [rows, n, ns] = data.waits.rest;
  wait_rows.push([`(${rows} more rows)`, "", n, us(ns), us(ns / n), "", ""]);
}
fill_table(at("wait-places"), ["source", "call", "waits", "total us", "avg us", "longest us", "on rank"], wait_rows, 2,
  (number) => {
    const place = data.waits.places[number];
    if (place) show_wait(place[4][0], place[4][1]);
  });
fill_table(at("wait-longest"), ["source", "call", "rank", "from s", "us"],
  data.waits.longest.map(([ns, start, rank, thread, place, call]) =>
    [data.places[place], data.call_names[call][0], `${rank}(${thread})`, seconds(start), us(ns)]), 2,
  (number) => show_wait(data.waits.longest[number][0], data.waits.longest[number][1]));

// --- the summary's reports ---

for (const report of data.reports) {
  const head = document.createElement("h3"), table = document.createElement("table"), frame = document.createElement("div");
  head.textContent = `${report.title} report, ${report.unit}`;
  table.id = `report-${report.title}`;
  table.dataset.calls = report.calls;
  frame.className = "scroll";
  frame.append(table);
  at("reports").append(head, frame);
  const threads = report.rows.some((row) => row[2] !== null), peers = report.rows.some((row) => row[3] !== null);
  const chosen = (row) => row.filter((_, column) => (column !== 2 || threads) && (column !== 3 || peers)).map((v) => v ?? "-");
  fill_table(table, chosen(["source", "type", "thread", "peer", "calls", "total", "avg", "min", "max"]), report.rows.map(chosen), 2);
}
if (!data.reports.length) {
  at("reports-note").textContent = "No call has a source line: compile with -DGASNET_TRACE, or use gasnet_trace -i.";
}
