// An output with the number of the input that it came from (--seq): `{"seq":N,"value":V}`, null where that is not known. V keeps its bytes.

const [ZERO, NINE, CLOSE] = [0x30, 0x39, 0x7d]
const HEAD = Buffer.from('{"seq":')
const VALUE = Buffer.from(',"value":')
const NULL = Buffer.from('null')

/** No line end. */
export const numbered = (seq: number, buf: Buffer, start: number, end: number): Buffer => {
  const head = `{"seq":${seq === 0 ? 'null' : seq},"value":`
  const line = Buffer.allocUnsafe(head.length + end - start + 1)
  line.write(head, 'latin1')
  buf.copy(line, head.length, start, end)
  line[line.length - 1] = CLOSE
  return line
}

/** Reads what `numbered` wrote. */
export class Unnumbered {
  /** 0 where it is not known. */
  seq = 0
  start = 0
  end = 0

  /** False: it is something else. */
  read(buf: Buffer, start: number, end: number): boolean {
    this.seq = 0
    let at = start + HEAD.length
    const number = at
    while (at < end && isDigit(buf[at] as number)) this.seq = this.seq * 10 + (buf[at++] as number) - ZERO
    if (at === number && stands(NULL, buf, at)) at += NULL.length
    this.start = at + VALUE.length
    this.end = end - 1
    return stands(HEAD, buf, start) && stands(VALUE, buf, at) && this.start < this.end && buf[this.end] === CLOSE
  }
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

const stands = (word: Buffer, buf: Buffer, at: number): boolean =>
  at + word.length <= buf.length && buf.compare(word, 0, word.length, at, at + word.length) === 0
