// A change that another process was quicker than, made anew to what the file holds now.

import { setTimeout as wait } from 'node:timers/promises'
import type { Result } from '@plumb/wire'

const MOST_TRIES = 10
const STEP_MS = 4

/** `work` reads and writes; tried again only where nobody has said what the file is to hold. */
export const again = async <T>(work: () => Promise<Result<T>>, { isExpected }: { readonly isExpected: boolean }): Promise<Result<T>> => {
  for (let tries = 1; ; tries++) {
    const result = await work()
    if (result.ok || isExpected || result.error.error !== 'file_changed' || tries === MOST_TRIES) return result
    // Not in step with the other one.
    await wait(Math.random() * STEP_MS * tries)
  }
}
