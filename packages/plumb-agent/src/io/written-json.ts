// Writes JSON bodies with parts in their original text: JSON.stringify represents numbers only as doubles.

import { randomUUID } from 'node:crypto'

/** What those of the body that is being written have as their texts, each at the place that its mark names. */
let written: { readonly mark: string; readonly texts: string[] } | undefined
let isWriting = false

/** A value of a body. For all but `writeBody` it is what its text says, with numbers as doubles. */
export class WrittenJson {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    if (!isWriting) return JSON.parse(this.text)
    // No text that is sent can hold it.
    written ??= { mark: randomUUID(), texts: [] }
    return `${written.mark}${written.texts.push(this.text) - 1}`
  }
}

/** The JSON of a body, in which each `WrittenJson` is its original text. */
export const writeBody = (body: unknown): string => {
  isWriting = true
  try {
    const json = JSON.stringify(body)
    if (!written) return json
    const { mark, texts } = written
    return json.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at) => texts[at] ?? 'null')
  } finally {
    isWriting = false
    written = undefined
  }
}
