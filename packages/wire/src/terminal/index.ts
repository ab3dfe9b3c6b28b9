// Text on a terminal, for packages that load nothing else of this one.

export { type Styled, styledText } from './style.js'
export { textWidth } from './width.js'
export { wrapStyled } from './wrap.js'
