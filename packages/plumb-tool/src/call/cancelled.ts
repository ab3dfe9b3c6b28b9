// The error of a call whose caller has ended.

import { fail } from '@plumb/wire'

export const cancelled = (tool: string) => fail('cancelled', `the call of '${tool}' was cancelled`, { tool })
