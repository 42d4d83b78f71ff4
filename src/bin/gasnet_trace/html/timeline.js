
// --- the timeline ---

const line = data.timeline;
const AXIS = 22, NAMES = 64;
let view = line ? [line.first_ns, Math.max(line.last_ns, line.first_ns + 1)] : [0, 1];
const whole = [...view];

function bytes_of(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
const cells = line ? bytes_of(line.cells) : new Uint8Array();
const records = line ? new DataView(bytes_of(line.events).buffer) : null;
const RECORD = 24;

function event_at(number) {
  const base = number * RECORD;
  return {
    start: line.first_ns + records.getUint32(base, true) * line.unit_ns,
    ns: records.getUint32(base + 4, true) * line.unit_ns,
    rank: records.getUint32(base + 8, true),
    peer: records.getUint32(base + 12, true),
    bytes: records.getUint32(base + 16, true),
    call: records.getUint16(base + 20, true),
    place: records.getUint16(base + 22, true),
  };
}
const start_of = (number) => line.first_ns + records.getUint32(number * RECORD, true) * line.unit_ns;

// Where the events of each track begin in the records, and its longest event: no event that starts earlier is seen.
const begins = [0], longest = [];
for (const [, , n] of line ? line.tracks : []) {
  const from = begins[begins.length - 1];
  let most = 0;
  for (let number = from; number < from + n; number++) most = Math.max(most, records.getUint32(number * RECORD + 4, true));
  longest.push(most * line.unit_ns);
  begins.push(from + n);
}

// The first event of a track that starts at `ns` or later.
function first_from(track, ns) {
  let [low, high] = [begins[track], begins[track + 1]];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start_of(middle) < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The cell for the bins from..to of a track: the category of most time, and how busy they are.
const weight = new Float64Array(CATEGORIES.length);
function cell_of(track, from, to) {
  weight.fill(0);
  let busy = 0;
  for (let bin = from; bin <= to; bin++) {
    const cell = cells[track * line.bins + bin];
    weight[cell & 15] += cell >> 4;
    busy += cell >> 4;
  }
  let most = 0;
  for (let category = 1; category < weight.length; category++) if (weight[category] > weight[most]) most = category;
  return [most, busy / (15 * (to - from + 1))];
}

const tracks = line ? line.tracks.length : 0;
const track_height = Math.max(4, Math.min(26, Math.floor(600 / Math.max(1, tracks))));
let drawn = 0;

function draw_timeline() {
  if (!line) return;
  const canvas = at("timeline-picture");
  const width = Math.min(1152, document.body.clientWidth - 48), plot = width - NAMES;
  const pen = canvas_of(canvas, width, AXIS + tracks * track_height + 2);
  const [from, to] = view, scale = plot / (to - from), soft = style_of("--soft"), back = style_of("--panel");
  const singles = (to - from) / plot < line.bin_ns * 2;
  drawn = 0;
  for (let track = 0; track < tracks; track++) {
    const y = AXIS + track * track_height;
    for (let x = 0; x < plot; x++) {
      const first = Math.floor((from + x / scale - line.first_bin_ns) / line.bin_ns);
      const last = Math.max(first, Math.ceil((from + (x + 1) / scale - line.first_bin_ns) / line.bin_ns) - 1);
      if (last < 0 || first >= line.bins) continue;
      const [category, busy] = cell_of(track, Math.max(0, first), Math.min(last, line.bins - 1));
      if (!busy) continue;
      pen.globalAlpha = singles ? 0.25 : 1;
      pen.fillStyle = CATEGORIES[category][1];
      const high = Math.max(1, (track_height - 2) * Math.min(1, busy));
      pen.fillRect(NAMES + x, y + track_height - 1 - high, 1, high);
    }
    pen.globalAlpha = 1;
    // Single events where they are wide enough to see, on the sums of those that are not kept.
    for (let number = first_from(track, from - longest[track]); number < begins[track + 1]; number++) {
      if (start_of(number) > to) break;
      const event = event_at(number), x = NAMES + Math.max(0, (event.start - from) * scale);
      const end = NAMES + Math.min(plot, (event.start + event.ns - from) * scale);
      if (end < NAMES || (end - x < 2 && !singles)) continue;
      const category = data.call_names[event.call][1];
      pen.fillStyle = CATEGORIES[category][1];
      const inset = category === 4 && track_height >= 10 ? track_height / 3 : 0;
      pen.fillRect(x, y + 1 + inset, Math.max(0.5, end - x), track_height - 2 - inset);
      if (end - x > 6) {
        pen.fillStyle = back;
        pen.fillRect(end - 0.5, y + 1 + inset, 0.5, track_height - 2 - inset);
      }
      drawn++;
    }
    if (track_height >= 12 || track % Math.ceil(14 / track_height) === 0) {
      const [group, thread] = line.tracks[track];
      pen.fillStyle = soft;
      pen.textAlign = "right";
      pen.fillText(line.ranks_each > 1 ? rank_name(group, line.ranks_each) : `${group}(${thread})`, NAMES - 6, y + track_height / 2, NAMES - 8);
    }
  }
  // The axis, in steps of 1, 2 or 5.
  const rough = (to - from) / (plot / 120), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  pen.fillStyle = soft;
  pen.textAlign = "center";
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
    const x = NAMES + (tick - from) * scale;
    pen.globalAlpha = 0.25;
    pen.fillRect(x, AXIS - 4, 1, canvas.height);
    pen.globalAlpha = 1;
    const [unit, name] = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : [1e3, "us"];
    const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
    pen.fillText(`${(tick / unit).toFixed(digits)} ${name}`, Math.min(Math.max(x, NAMES + 20), width - 34), AXIS / 2);
  }
  const output = at("view");
  output.dataset.from = Math.round(from);
  output.dataset.to = Math.round(to);
  output.dataset.drawn = drawn;
  output.textContent = `${seconds(from)} s to ${seconds(to)} s`;
}

function set_view(from, to) {
  const least = 200, [low, high] = whole;
  const span = Math.min(Math.max(to - from, least), Math.max(high - low, least));
  const middle = (from + to) / 2;
  from = Math.min(Math.max(middle - span / 2, low), Math.max(low, high - span));
  view = [from, from + span];
  draw_timeline();
}

function zoom(factor, share = 0.5) {
  const [from, to] = view, point = from + (to - from) * share;
  set_view(point - (point - from) * factor, point + (to - point) * factor);
}

function show_wait(ns, start) {
  set_view(start - ns, start + 2 * ns);
  at("timeline").scrollIntoView();
}

const ACTIONS = {
  in: () => zoom(0.5), out: () => zoom(2), all: () => set_view(...whole),
  left: () => set_view(view[0] - (view[1] - view[0]) / 4, view[1] - (view[1] - view[0]) / 4),
  right: () => set_view(view[0] + (view[1] - view[0]) / 4, view[1] + (view[1] - view[0]) / 4),
};
for (const button of document.querySelectorAll("button[data-zoom]")) button.addEventListener("click", ACTIONS[button.dataset.zoom]);

const picture = at("timeline-picture");
let grabbed = null;
picture.addEventListener("wheel", (event) => {
  event.preventDefault();
  const share = (event.offsetX - NAMES) / (picture.clientWidth - NAMES);
  zoom(event.deltaY < 0 ? 0.8 : 1.25, Math.min(Math.max(share, 0), 1));
}, { passive: false });
picture.addEventListener("dblclick", ACTIONS.all);
picture.addEventListener("keydown", (event) => {
  const action = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", 0: "all" }[event.key];
  if (!action) return;
  event.preventDefault();
  ACTIONS[action]();
});
picture.addEventListener("pointerdown", (event) => {
  grabbed = [event.clientX, ...view];
  picture.setPointerCapture(event.pointerId);
});
picture.addEventListener("pointerup", () => { grabbed = null; });
picture.addEventListener("pointermove", (event) => {
  if (grabbed) {
    const moved = ((event.clientX - grabbed[0]) / (picture.clientWidth - NAMES)) * (view[1] - view[0]);
    set_view(grabbed[1] - moved, grabbed[2] - moved);
    return;
  }
  at("timeline-at").textContent = described(event.offsetX, event.offsetY) || "\u00a0";
});

// The innermost single event at a point of the picture.
function described(x, y) {
  const track = Math.floor((y - AXIS) / track_height);
  if (!line || track < 0 || track >= tracks || x < NAMES) return "";
  const [from, to] = view, pixel = (to - from) / (picture.clientWidth - NAMES), ns = from + (x - NAMES) * pixel;
  let found = null;
  for (let number = first_from(track, ns - longest[track]); number < begins[track + 1]; number++) {
    if (start_of(number) > ns + pixel) break;
    const event = event_at(number);
    if (event.start + event.ns >= ns - pixel) found = event;
  }
  if (!found) return "";
  const peer = found.peer === 0xffffffff ? "" : `, peer ${found.peer}`;
  const bytes = found.bytes ? `, ${count(found.bytes)} bytes` : "";
  return `rank ${found.rank}: ${data.call_names[found.call][0]} at ${data.places[found.place]}${peer}${bytes}, ` +
    `${us(found.ns)} us from ${seconds(found.start)} s`;
}

at("timeline-note").textContent = !line ? "No event has a duration."
  : line.kept < line.seen ? `Single events: the ${count(line.kept)} longest of ${count(line.seen)}; the others are in the sums, of ${us(line.bin_ns)} us each.`
  : `All ${count(line.seen)} events with a duration are shown singly where they are wide enough.`;

function draw_all() {
  draw_traffic();
  draw_time();
  draw_timeline();
}
window.addEventListener("resize", draw_all);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw_all);
draw_all();
