import { render } from "preact";
import { Layout } from "./layout.js";
import { start } from "./router.js";

const root = document.getElementById("app");
if (root) {
  start();
  render(<Layout />, root);
}
