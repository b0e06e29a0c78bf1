/** Writes a number of bytes with two or three digits, such as 12 MiB. */
export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit++;
  }
  return `${n < 10 && unit > 0 ? n.toFixed(1) : Math.round(n)} ${units[unit]}`;
}

/** Writes a whole number with its thousands apart. */
export function count(n: number): string {
  return Math.round(n).toLocaleString("en");
}

/** Writes a number of things, whose name has an s where there are several. */
export function things(n: number, name: string): string {
  return `${count(n)} ${name}${n === 1 ? "" : "s"}`;
}

/** Writes a share of 1 in whole percent; nothing but all of it is 100 %. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** Writes a duration in seconds in its two greatest units. */
export function duration(seconds: number): string {
  const s = Math.floor(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}
