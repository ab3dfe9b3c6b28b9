// Writes JSON bodies with parts in their original text: JSON.stringify represents numbers only as doubles.

import { randomUUID } from 'node:crypto'

/** A value of a body. Except for `writeBody` it is the parsed value, with numbers as doubles. */
export class WrittenJson {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** The JSON of a body, in which each `WrittenJson` is its original text. */
export const writeBody = (body: unknown): string => {
  const texts: string[] = []
  // No sent text can contain it.
  const mark = randomUUID()
  const json = JSON.stringify(body, function (this: Readonly<Record<string, unknown>>, key: string, value: unknown) {
    const written = this[key]
    return written instanceof WrittenJson ? `${mark}${texts.push(written.text) - 1}` : value
  })
  return texts.length === 0 ? json : json.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at) => texts[at] ?? 'null')
}
