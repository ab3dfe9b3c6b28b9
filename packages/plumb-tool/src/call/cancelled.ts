// The end of a call whose caller has gone.

import { fail } from '@plumb/wire'

export const cancelled = (tool: string) => fail('cancelled', `the call of '${tool}' was given up`, { tool })
