// The specs of the programs under load.

/** `left` rounds in the loop, then three ways at once, of which two meet again. */
const PIPELINE = `
type M = { n: int, left: int }
let round : !M -> !M = filter(left > 0) ; map({ n: n, left: left - 1 })
let done : !M -> !int = filter(left = 0) ; map(n)
let both : !int -> !int = plumb(input, output) { input ; (map(value) * map(value * 2)) ; barrier ; map(value[0] + value[1]) ; output }
let some : !int -> !int = filter(value % 10 = 0) ; copy ; merge
let main : !M -> !int = plumb(input, output) {
  input ; done
  input ; round ; round ; done
  done ; both ; output
  done ; some ; output
}
`
export const SENTENCES = ['Men are all alike.', 'My cat remembers you.', 'I am sad', 'Perhaps', 'call nobody']
const ELIZA = (name) => `let ${name} : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true }\n`
export const AGENTS = 64
const MANY_AGENTS = `${Array.from({ length: AGENTS }, (_, i) => ELIZA(`a${i}`)).join('')}
let main : !string -> !string = plumb(input, output) {
${Array.from({ length: AGENTS }, (_, i) => `  input ; a${i} ; output`).join('\n')}
}
`
/** Files by name. */
export const SPECS = {
  'pipeline.plumb': PIPELINE,
  'id.plumb': 'let main : !{ n: int, text: string } -> !{ n: int, text: string } = id\n',
  'agent.plumb': ELIZA('main'),
  'agents.plumb': MANY_AGENTS,
  'tools.plumb': '@tool true\nlet inc : { n: int } -> int = map(n + 1)\n',
}
