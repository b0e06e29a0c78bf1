export interface RetryOptions {
  attempts: number;
  /** Milliseconds before the second attempt; doubled for each one after it. */
  delay: number;
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

/**
 * Fetches a page and tries again with exponential backoff while the shop
 * answers that it is overloaded.
 */
export const fetchWithRetry = async (url: string, options: RetryOptions): Promise<Response> => {
  let wait = options.delay;
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url);
    if (response.status !== 503 || attempt >= options.attempts) {
      return response;
    }
    await sleep(wait);
    wait *= 2;
  }
};
