import { useEffect } from "preact/hooks";
import type { RefObject } from "preact";

/** What can be gone through with the keys has this attribute and takes the focus. */
const item = "[data-item]";

/**
 * Lets the keys go through the items of a list: down and up, to the first and the last one, from
 * a field (Enter does so, too) and back to it. Escape goes to the field from anywhere in the list.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const focused = document.activeElement;
      const inField = focused === field.current;
      if (!inField && !list.current?.contains(focused)) return;
      const items = [...(list.current?.querySelectorAll<HTMLElement>(item) ?? [])];
      const at = items.findIndex((e) => e === focused);
      const to = target(event.key, inField, at, items.length);
      if (to === undefined) return;
      event.preventDefault();
      if (to < 0) field.current?.focus();
      else items[to]?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Says where a key leads to: to an item, to the field (-1), or nowhere. */
function target(key: string, inField: boolean, at: number, length: number): number | undefined {
  if (inField) return (key === "ArrowDown" || key === "Enter") && length > 0 ? 0 : undefined;
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, length - 1);
    case "ArrowUp":
      return at - 1 >= 0 ? at - 1 : -1;
    case "Home":
      return at >= 0 && length > 0 ? 0 : undefined;
    case "End":
      return at >= 0 && length > 0 ? length - 1 : undefined;
    case "Escape":
      return -1;
    default:
      return undefined;
  }
}

/** Has the key / focus a field, from everywhere but where one writes. */
export function useSlash(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.altKey || event.ctrlKey || event.metaKey) return;
      const at = event.target;
      if (at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
