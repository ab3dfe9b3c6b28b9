// Notes of the stages.

import type { Call, StageNote } from './call.js'

export const note = (call: Call, stage: StageNote['stage'], text: string): void => {
  call.record.stages.push({ stage, note: text })
}

export const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** `30 s`, `250 ms`. */
export const showMs = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`)
