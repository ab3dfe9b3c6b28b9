// What a program says while it runs: telemetry, replies to control, and errors.

import { isRecord, type Settled, type Telemetry } from '@plumb/wire'
import { memberText } from '@plumb/wire/json'

/** The input of a call as it was written: what a person reads of it has the digits that the tool gets. */
interface WithInputText {
  readonly inputText?: string
}

export type ProgramEvent = Exclude<Telemetry, Settled> & { readonly agent: string } & WithInputText

/** A line on ctrl_out; see plumb-agent(1). */
export type ControlEvent = { readonly kind: string } & WithInputText & Readonly<Record<string, unknown>>

/** `text`: the JSON of the message. */
export const withInputText = (message: unknown, text: Uint8Array): unknown => {
  const isCall =
    isRecord(message) && (message.kind === 'tool_call' || message.kind === 'approval' || message.kind === 'question') && 'input' in message
  if (!isCall) return message
  return { ...message, inputText: memberText(text, 'input') }
}
