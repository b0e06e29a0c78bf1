import { useEffect, useState } from "preact/hooks";
import { changes, get, type Schemas, text } from "../api.js";
import { type Moment, moment, parse, type Sample } from "./metrics.js";

export type Status = Schemas["Status"];

/** What the view shows, as it is at this moment. */
export interface Live {
  status?: Status;
  error?: unknown;
  samples: readonly Sample[];
  moments: readonly Moment[];
}

const building = 500; // milliseconds between two looks while a build goes on
const quiet = 5000; // and else; what commits change is told by /events
const between = 2000; // two looks at the metrics
const most = 150; // moments: five minutes
const firstFiles = 100; // files left out that are listed at first
const allFiles = 10_000; // and at most

/** Follows the status of a project and the metrics of the server, as long as the view is there. */
export function useLive(project: string, all: boolean): Live {
  const [live, set] = useState<Live>({ samples: [], moments: [] });
  useEffect(() => {
    const end = new AbortController();
    const skipped = all ? allFiles : firstFiles;
    let wake = () => {};
    void (async () => {
      while (!end.signal.aborted) {
        let pause = quiet;
        try {
          const status = await get("/status", { project, skipped }, end.signal);
          set((l) => ({ ...l, status, error: undefined }));
          if (busy(status)) pause = building;
        } catch (error) {
          if (!end.signal.aborted) set((l) => ({ ...l, status: undefined, error }));
        }
        await new Promise<void>((done) => {
          const timer = setTimeout(done, pause);
          wake = () => {
            clearTimeout(timer);
            setTimeout(done, building / 2); // many commits may follow each other
          };
        });
      }
    })();
    void (async () => {
      try {
        for await (const _ of changes(project, end.signal)) wake();
      } catch {
        // The view has been left, or there is no such project: then the status says it.
      }
    })();
    return () => {
      end.abort();
      wake();
    };
  }, [project, all]);
  useEffect(() => {
    const end = new AbortController();
    const look = async () => {
      try {
        const samples = parse(await text("/metrics", end.signal));
        set((l) => ({ ...l, samples, moments: [...l.moments, moment(samples, Date.now())].slice(-most) }));
      } catch {
        // The next look may be answered; what is away is said by the layout.
      }
    };
    void look();
    const timer = setInterval(() => void look(), between);
    return () => {
      clearInterval(timer);
      end.abort();
    };
  }, []);
  return live;
}

/** Whether the index is about to change by itself. */
function busy(s: Status): boolean {
  return s.index.state === "indexing" || s.index.pending > 0 || s.index.vectors < 1 || (s.index.refined ?? 1) < 1;
}
