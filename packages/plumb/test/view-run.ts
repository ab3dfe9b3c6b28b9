// A run with a trace, of which some messages fail: what the tests of its page look at.

export const FILES = {
  'bot.plumb': `
    let today : { arguments?: [string] } -> string = tool { command: "echo Sunday" }
    let doctor : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [today] }
    let bad : !string -> !{ n: int } = agent { command: ["sh", "-c", "while read -r line; do echo '{}'; done"] }
    let main : !string -> !string = plumb(input, output) {
      input ; filter(length(value) > 2) ; doctor ; output
      doctor ; bad ; map("never") ; output
    }
  `,
  'in.txt': `Men are all alike.\nno\ncall today {}\n</script><script>document.title = "x"</script><b id=x onclick=y>"&amp;\u202e\n`,
}
export const RUN = 'plumb -Rr --trace t.json bot.plumb < in.txt > out.txt 2> err.txt'
