// Outputs with the number of their input (--seq): `{"seq":N,"value":V}`, null if it is unknown or there are several. For a parent that
// joins by origin, several are listed: `{"seq":[M,N],"value":V}`. V keeps its bytes.

const [ZERO, NINE, COMMA, OPEN, SHUT, CLOSE] = [0x30, 0x39, 0x2c, 0x5b, 0x5d, 0x7d]
const HEAD = Buffer.from('{"seq":')
const VALUE = Buffer.from(',"value":')
const NULL = Buffer.from('null')

/** No line end. */
export const numbered = (seqs: readonly number[], buf: Buffer, start: number, end: number): Buffer => {
  const number = seqs.length === 0 ? 'null' : seqs.length === 1 ? seqs[0] : `[${seqs}]`
  const head = `{"seq":${number},"value":`
  const line = Buffer.allocUnsafe(head.length + end - start + 1)
  line.write(head, 'latin1')
  buf.copy(line, head.length, start, end)
  line[line.length - 1] = CLOSE
  return line
}

/** Parses what `numbered` wrote. */
export class Unnumbered {
  /** Empty if none is known. */
  seqs: number[] = []
  start = 0
  end = 0
  #at = 0

  /** False: another value. */
  read(buf: Buffer, start: number, end: number): boolean {
    this.seqs = []
    this.#at = start + HEAD.length
    if (buf[this.#at] === OPEN) this.#readList(buf, end)
    else if (!this.#readNumber(buf, end) && stands(NULL, buf, this.#at)) this.#at += NULL.length
    this.start = this.#at + VALUE.length
    this.end = end - 1
    return stands(HEAD, buf, start) && stands(VALUE, buf, this.#at) && this.start < this.end && buf[this.end] === CLOSE
  }

  #readList(buf: Buffer, end: number): void {
    do this.#at++
    while (this.#readNumber(buf, end) && buf[this.#at] === COMMA)
    if (buf[this.#at] === SHUT) this.#at++
  }

  #readNumber(buf: Buffer, end: number): boolean {
    const from = this.#at
    let number = 0
    while (this.#at < end && isDigit(buf[this.#at] as number)) number = number * 10 + (buf[this.#at++] as number) - ZERO
    if (this.#at > from) this.seqs.push(number)
    return this.#at > from
  }
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

const stands = (word: Buffer, buf: Buffer, at: number): boolean =>
  at + word.length <= buf.length && buf.compare(word, 0, word.length, at, at + word.length) === 0
