// node consumer.mjs DIR: three small implementations, tested on golden vectors. Replace them by your own.
import { readFileSync } from "node:fs";
const rational = (text) => { // "22/7" or "0.5" as [numerator, denominator], in BigInts and lowest terms
  const [a, b = "1"] = text.split("/"), [whole, part = ""] = a.split(".");
  return lowest(BigInt(whole + part), BigInt(b) * 10n ** BigInt(part.length));
};
const gcd = (a, b) => (b ? gcd(b, a % b) : a), lowest = (a, b) => [a / gcd(a, b), b / gcd(a, b)];
const root = (n) => { let x = BigInt(Math.floor(Math.sqrt(Number(n)))); while (x * x > n) x--; while ((x + 1n) ** 2n <= n) x++; return x; };
const absolute = (n) => (n < 0n ? -n : n);
function sampler({ sampler, parameters, bits, draws }) {
  let used = 0;
  const below = (n, width = n === 1n ? 0 : (n - 1n).toString(2).length) => {
    for (let u; used + width <= bits.length; ) { u = BigInt("0b0" + bits.slice(used, (used += width))); if (u < n) return u; }
    throw RangeError("too few bits");
  };
  const coin = (a, b) => { const [p, q] = lowest(a, b); return below(q) < p; };
  const decay = (a, b) => { // a coin of probability exp(-a/b)
    for (let g = a / b; g > 0n; g--) if (!decayOnce(1n, 1n)) return false;
    return decayOnce(a % b, b);
  };
  const decayOnce = (a, b) => { let k = 1n; while (coin(a, b * k)) k++; return k % 2n === 1n; };
  const laplace = (t, s) => {
    for (;;) {
      const u = below(t);
      if (!decay(u, t)) continue;
      let v = 0n; while (decay(1n, 1n)) v++;
      const size = (u + t * v) / s, negative = coin(1n, 2n);
      if (!(negative && size === 0n)) return negative ? -size : size;
    }
  };
  const gaussian = (p, q, t = root(p / q) + 1n) => {
    for (;;) { const y = laplace(t, 1n), gap = absolute(y) * t * q - p; if (decay(gap * gap, 2n * p * q * t * t)) return y; }
  };
  const [a, b] = rational(Object.values(parameters)[0]);
  const draw = { "bernoulli-exp": () => (decay(a, b) ? 1 : 0), "discrete-laplace": () => laplace(a, b), "discrete-gaussian": () => gaussian(a, b) };
  return Array.from({ length: draws }, () => Number(draw[sampler]())).join() + " " + used;
}
const norm = (row) => Math.hypot(...row); // scales by itself: no square overflows
const clipped = (row, clip) => { // scaled first: the norm itself may overflow
  const most = Math.max(...row.map(Math.abs)), size = norm(row.map((x) => x / most));
  return row.map((x) => (most > clip / size ? (x / most / size) * clip : x));
};
const sum = (rows, clip, width) => rows.reduce((total, row) => clipped(row.map(Number), clip).map((x, k) => x + total[k]), Array(width).fill(0));
const distance = ({ d0, d1, parameters: { clip } }) => norm([d0, d1].map((d) => sum(d.rows, +clip, d0.rows[0].length)).reduce((a, b) => a.map((x, k) => x - b[k])));
const gaussians = (e) => (e.type === "gaussian" ? 1 / e.noise_multiplier ** 2 / 2 : e.type === "compose" && e.count ? e.count * gaussians(e.event) : NaN);
const epsilon = ({ event, delta }) => gaussians(event) + 2 * Math.sqrt(gaussians(event) * Math.log(1 / delta)); // of zCDP: an upper bound

const checks = {
  sampler: (t) => { try { return sampler(t) === t.outputs.join() + " " + t.bitsConsumed; } catch { return false; } },
  sensitivity: (t) => t.query !== "clipped-sum" || t.result !== "valid" ? null : +t.distance[0].lower <= distance(t) && distance(t) <= +t.distance[0].upper,
  accountant: (t) => t.asks !== "epsilon" || Number.isNaN(epsilon(t)) ? null : epsilon(t) >= +t.interval.lower,
};
let failed = 0;
for (const [family, check] of Object.entries(checks)) {
  const { testGroups, notes } = JSON.parse(readFileSync(`${process.argv[2]}/${family}.json`, "utf8"));
  const results = testGroups.flatMap((g) => g.tests).map((t) => [t, check(t)]).filter(([, ok]) => ok !== null);
  for (const [t] of results.filter(([, ok]) => !ok)) console.log(`FAILS ${family} ${t.tcId}: ${t.flags.map((f) => notes[f].description)}`), failed++;
  console.log(`${family}: ${results.length} tests`);
}
process.exitCode = failed ? 1 : 0;
