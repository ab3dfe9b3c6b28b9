// Sends the arguments of a call in their original text, so that numbers keep their digits: the SDK gets a placeholder, which is replaced
// when the message is written.

import { randomUUID } from 'node:crypto'

export interface RawArguments {
  /** Returns a placeholder for the value; `release` it when the message was answered. */
  readonly hold: (json: string) => string
  readonly release: (place: string) => void
  /** One message as JSON. */
  readonly fill: (text: string) => string
}

export const openRawArguments = (): RawArguments => {
  const held = new Map<string, string>()
  return {
    hold: (json) => {
      const place = randomUUID()
      held.set(place, json.replace(/[\r\n]+/g, ' '))
      return place
    },
    release: (place) => void held.delete(place),
    fill: (text) => {
      for (const [place, json] of held) {
        const at = text.indexOf(`"${place}"`)
        if (at >= 0) return text.slice(0, at) + json + text.slice(at + place.length + 2)
      }
      return text
    },
  }
}
