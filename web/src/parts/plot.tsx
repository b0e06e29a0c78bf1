/** A small plot of a figure over time: its line from 0 to the greatest value, and the last one in words. */
export function Plot({ label, values, say }: { label: string; values: readonly number[]; say: (n: number) => string }) {
  const greatest = Math.max(...values, 0);
  const last = values.at(-1);
  const x = (i: number) => (values.length > 1 ? (i / (values.length - 1)) * 100 : 0);
  const y = (v: number) => (greatest > 0 ? 30 - (v / greatest) * 28 : 30);
  const points = values.map((v, i) => `${x(i).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
  return (
    <figure class="plot">
      <figcaption>
        {label}
        <strong>{last === undefined ? "-" : say(last)}</strong>
      </figcaption>
      <svg viewBox="0 0 100 31" preserveAspectRatio="none" role="img" aria-label={last === undefined ? `${label}: not known yet` : `${label}: ${say(last)} now, ${say(greatest)} at most`}>
        <polyline points={points} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />
      </svg>
    </figure>
  );
}
