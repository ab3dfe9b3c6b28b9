// The end of a call that nobody waits for any more.

import { fail } from '@plumb/wire'

export const cancelled = (tool: string) => fail('cancelled', `the call of '${tool}' was given up`, { tool })
