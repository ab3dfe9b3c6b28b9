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
    if (!written) return wellFormed(json)
    const { mark, texts } = written
    return wellFormed(json.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at) => texts[at] ?? 'null'))
  } finally {
    isWriting = false
    written = undefined
  }
}

/** JSON text in which no string has half of a surrogate pair, which servers refuse: U+FFFD is in its place. */
export const wellFormed = (json: string): string =>
  json.includes('\\ud') || json.includes('\\uD') ? json.replace(ESCAPE, (escape, half) => (half === undefined ? escape : '\ufffd')) : json

/** Any, so that an escaped backslash is not taken for the beginning of one. */
const ESCAPE = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)/gs
