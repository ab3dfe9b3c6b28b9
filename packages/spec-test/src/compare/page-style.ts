// How the page of a comparison looks: light or dark as the reader has it, and one column where there is no room for two.

export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8888; --soft: #8881; --worse: #c0392b; --better: #1e8449; --other: #b9770e }
@media (prefers-color-scheme: dark) { :root { --worse: #ff8a7a; --better: #6fdc8c; --other: #f0b849 } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: Canvas; color: CanvasText }
main { max-width: 72rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; overflow-wrap: anywhere; border-top: 1px solid var(--line); padding-top: 1rem } h3, h4 { font-size: 1rem; margin: .8rem 0 .3rem }
.wide { overflow-x: auto } table { border-collapse: collapse; white-space: nowrap }
th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid var(--line) } th:first-child, td:first-child { text-align: left }
.chart { margin: 1rem 0 }
.bar { display: grid; grid-template-columns: minmax(5rem, 9rem) 1fr; gap: .6rem; align-items: center; overflow-wrap: anywhere }
svg { width: 100%; height: 1.2rem } line { vector-effect: non-scaling-stroke } .axis { stroke: var(--line) } .interval { stroke: currentColor; stroke-width: 4; opacity: .45 } .middle { stroke: currentColor; stroke-width: 3 }
.ends { display: flex; justify-content: space-between; font-size: .8rem }
li, .value, dd { overflow-wrap: anywhere } .value { white-space: pre-wrap; font-family: ui-monospace, monospace; font-size: .9rem; margin: .2rem 0 }
.rows > label { display: inline-block; padding: .4rem .8rem .4rem .3rem } .rows > input { width: 1.1rem; height: 1.1rem; vertical-align: middle }
.row { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0; padding: 0 .6rem } summary { cursor: pointer; padding: .45rem 0; overflow-wrap: anywhere }
.worse > summary i { color: var(--worse) } .better > summary i { color: var(--better) } .other > summary i { color: var(--other) }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: 0 1rem } .sides > div { min-width: 0 }
.score, .wanted { margin: .2rem 0; font-size: .85rem; opacity: .8 } dl { margin: 0 0 .5rem } dt { font-weight: 600 } dt.parts { color: var(--worse) } dd { margin: 0 0 .3rem 1rem; font-family: ui-monospace, monospace; font-size: .85rem }
mark { background: #f7c94877; color: inherit }
:focus-visible { outline: 3px solid Highlight; outline-offset: 2px }
.f-worse:checked ~ .row:not(.worse), .f-better:checked ~ .row:not(.better), .f-other:checked ~ .row:not(.other), .f-errors:checked ~ .row:not(.errors) { display: none }
`
