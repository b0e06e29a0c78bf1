/** Offers a file to be kept. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // the browser may ask first where to put it
}

/** Makes a name of a file of any text. */
export function fileName(text: string, extension: string): string {
  return `${text.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "quarry"}.${extension}`;
}
