// What a model said to one request, or why it said nothing.

import { type Fault, fault } from '@plumb/wire'
import type { ModelAnswer } from '../provider/provider.js'
import type { KeptCalls } from '../tool/kept-calls.js'

export type Said =
  | { readonly ok: true; readonly value: ModelAnswer; readonly calls: KeptCalls | undefined }
  | { readonly ok: false; readonly error: Fault; readonly isShared?: true; readonly isOfModel?: true }

export const refusedWith = (error: Fault): Said => ({ ok: false, error, isShared: true })

export const CANCELLED: Fault = fault('cancelled', 'the answer was dropped on request')
