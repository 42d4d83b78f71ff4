//! The curves of a simulation as a picture: times over the number of ranks, both on logarithmic scales.

use crate::model::Report;
use std::fmt::Write;

const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;

type Curve = (&'static str, &'static str, fn(&Report) -> f64);

const CURVES: [Curve; 6] = [
    ("init", "#0072b2", |of| of.init.ns),
    ("init: master", "#56b4e9", |of| of.master_ns),
    ("attach", "#009e73", |of| of.attach.ns),
    ("barrier", "#d55e00", |of| of.barrier.ns),
    ("exit", "#cc79a7", |of| of.exit.ns),
    ("the launcher's fences (floor)", "#555555", |of| of.fence_ns * f64::from(of.fences)),
];

/// Reports by number of ranks.
pub fn svg(all: &[(u32, Report)]) -> String {
    let decades = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        (low.max(1.0).log10().floor(), (high.max(1.0).log10().ceil()).max(low.max(1.0).log10().floor() + 1.0))
    };
    let (x0, x1) = decades(&mut all.iter().map(|one| f64::from(one.0)));
    let (y0, y1) = decades(&mut all.iter().flat_map(|one| CURVES.map(|curve| curve.2(&one.1))));
    let x = |ranks: f64| LEFT + WIDTH * (ranks.log10() - x0) / (x1 - x0);
    let y = |ns: f64| TOP + HEIGHT * (y1 - ns.max(1.0).log10()) / (y1 - y0);
    let mut out = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{}' height='{}' font-family='sans-serif' font-size='12'>\n\
         <rect width='100%' height='100%' fill='white'/>\n",
        LEFT + WIDTH + 220.0,
        TOP + HEIGHT + 50.0
    );
    let mut add = |text: std::fmt::Arguments<'_>| _ = out.write_fmt(text);
    for decade in y0 as i32..=y1 as i32 {
        let (at, ms) = (y(10f64.powi(decade)), 10f64.powi(decade - 6));
        add(format_args!("<line x1='{LEFT}' x2='{}' y1='{at:.1}' y2='{at:.1}' stroke='#ddd'/>\n", LEFT + WIDTH));
        add(format_args!("<text x='{}' y='{:.1}' text-anchor='end'>{ms} ms</text>\n", LEFT - 6.0, at + 4.0));
    }
    for decade in x0 as i32..=x1 as i32 {
        let (at, bottom) = (x(10f64.powi(decade)), TOP + HEIGHT);
        add(format_args!("<line x1='{at:.1}' x2='{at:.1}' y1='{TOP}' y2='{bottom}' stroke='#eee'/>\n"));
        add(format_args!(
            "<text x='{at:.1}' y='{}' text-anchor='middle'>{}</text>\n",
            bottom + 18.0,
            10f64.powi(decade)
        ));
    }
    add(format_args!(
        "<text x='{}' y='{}' text-anchor='middle'>ranks</text>\n",
        LEFT + WIDTH / 2.0,
        TOP + HEIGHT + 38.0
    ));
    for (nth, (name, color, of)) in (0..).zip(CURVES) {
        let points: Vec<String> =
            all.iter().map(|one| format!("{:.1},{:.1}", x(one.0.into()), y(of(&one.1)))).collect();
        add(format_args!(
            "<polyline points='{}' fill='none' stroke='{color}' stroke-width='1.8'/>\n",
            points.join(" ")
        ));
        let at = TOP + 20.0 * f64::from(nth) + 10.0;
        add(format_args!("<text x='{}' y='{at}' fill='{color}'>{name}</text>\n", LEFT + WIDTH + 12.0));
    }
    out + "</svg>\n"
}
