// The error of a call whose caller is gone.

import { fail } from '@plumb/wire'

export const cancelled = (tool: string) => fail('cancelled', `the call of '${tool}' was cancelled`, { tool })
