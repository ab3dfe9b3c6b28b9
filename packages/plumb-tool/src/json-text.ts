/** One JSON value as text on one line, so that numbers keep their digits. */
export type JsonText = string
