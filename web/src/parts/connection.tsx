import { useEffect, useRef } from "preact/hooks";
import { setToken, useConnection } from "../api.js";
import { Notice } from "./notice.js";

/** Says that the server is away, or asks for its token; nothing while it answers. */
export function Connection() {
  const connection = useConnection();
  switch (connection) {
    case "up":
      return null;
    case "away":
      return <Notice kind="error">The server does not answer. This page looks for it, and goes on by itself when it is back.</Notice>;
    default:
      return <Token wrong={connection === "wrong-token"} />;
  }
}

/** Asks for the token, which is kept for this tab only. */
function Token({ wrong }: { wrong: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      class="token"
      onSubmit={(e) => {
        e.preventDefault();
        setToken(input.current?.value ?? "");
      }}
    >
      {wrong && <Notice kind="error">That is not the token of this server.</Notice>}
      <label for="token">The server asks for its token: what is in the file that it was started with.</label>
      <input id="token" ref={input} type="password" autocomplete="off" required spellcheck={false} />
      <button type="submit">Go on</button>
    </form>
  );
}
