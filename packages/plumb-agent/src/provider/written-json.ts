// JSON in a body that is sent as it was written: JSON.stringify knows numbers as doubles only.

import { randomUUID } from 'node:crypto'

/** A value of a body. For all but `writeBody` it is what its text says, with numbers as doubles. */
export class WrittenJson {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** JSON of a body, in which each `WrittenJson` stands as it was written. */
export const writeBody = (body: unknown): string => {
  const texts: string[] = []
  // No text that is sent can hold it.
  const mark = randomUUID()
  const json = JSON.stringify(body, function (this: Readonly<Record<string, unknown>>, key: string, value: unknown) {
    const written = this[key]
    return written instanceof WrittenJson ? `${mark}${texts.push(written.text) - 1}` : value
  })
  return texts.length === 0 ? json : json.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at) => texts[at] ?? 'null')
}
