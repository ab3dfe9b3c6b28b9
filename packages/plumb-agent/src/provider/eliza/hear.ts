// What ELIZA hears of a message that is not plain text: the words in it, as if somebody read them out.

import type { Json } from '@plumb/lang'

/**
 * A message of a `string` input is heard as it is. Of any other input the memory holds the JSON text; its strings are heard one after
 * the other, each as a sentence of its own. Names of fields are not heard; a value without strings is heard as its JSON.
 */
export const hear = (content: Json, isPlainText: boolean): string => {
  if (typeof content === 'string') return isPlainText ? content : hearText(content)
  return strings(content).join('. ') || JSON.stringify(content)
}

// A memory that was set by hand may hold plain words where JSON would stand.
const hearText = (text: string): string => {
  try {
    return strings(JSON.parse(text)).join('. ') || text
  } catch {
    return text
  }
}

const strings = (value: Json): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(strings)
}
