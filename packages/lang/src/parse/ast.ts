// The syntax tree: one node type for each production of the grammar in plumbing(5). Every node carries its span.

import type { Span } from '../diagnostic/source.js'
import type { Constant, EntryOf, ListOf, Literal, Name, Node, ObjectOf, QualifiedName } from './node.js'
import type { ProtocolDeclaration } from './protocol-node.js'
import type { Annotation, TypeExpression } from './type-node.js'

export type { Constant, EntryOf, ListOf, Literal, Name, Node, ObjectOf, QualifiedName } from './node.js'
export type * from './protocol-node.js'
export type * from './type-node.js'

export interface SyntaxTree extends Node {
  readonly items: readonly Item[]
  readonly comments: readonly Comment[]
  /** The `#!` line, without its newline. */
  readonly shebang?: string
}

export interface Comment extends Node {
  readonly text: string
}

export type Item = Use | TypeDeclaration | ParamDeclaration | ProtocolDeclaration | Binding | TestDeclaration

export interface Use extends Node {
  readonly kind: 'use'
  /** `use fs` finds a module by name; `use "./x.plumb"` by path. */
  readonly by: 'name' | 'path'
  readonly target: Name
  readonly as?: Name
}

export interface TypeDeclaration extends Node {
  readonly kind: 'type'
  readonly name: Name
  readonly type: TypeExpression
}

/** `param name : type = constant` */
export interface ParamDeclaration extends Node {
  readonly kind: 'param'
  readonly name: Name
  readonly type: TypeExpression
  readonly default?: Constant
}

export interface Binding extends Node {
  readonly kind: 'binding'
  readonly annotations: readonly Annotation[]
  readonly name: Name
  readonly signature?: Signature
  readonly impl: Implementation
}

/** `test "name" of binding { key: value … }` */
export interface TestDeclaration extends Node {
  readonly kind: 'test'
  readonly name: Name
  readonly of: QualifiedName
  readonly config: TestObject
}

export interface Signature extends Node {
  readonly inputs: readonly Port[]
  readonly outputs: readonly Port[]
}

export interface Port extends Node {
  readonly isStream: boolean
  /** `~P`: the other side of an end point. */
  readonly isDual?: boolean
  readonly type: TypeExpression
}

// --- what a name is bound to

export type Implementation = AgentImplementation | ToolImplementation | PlumbImplementation | ObjectValue | Chain

export type AgentImplementation = Node & { readonly kind: 'agent'; readonly config: ObjectValue }
export type ToolImplementation = Node & { readonly kind: 'tool'; readonly config: ObjectValue }
export interface PlumbImplementation extends Node {
  readonly kind: 'plumb'
  readonly parameters: readonly Name[]
  readonly statements: readonly Statement[]
}

// --- config values

/** A template is for the prompt of an agent, and a condition, there any expression, for its `conversation`. */
export type Value = Literal | ListValue | ObjectValue | NameValue | Template | Condition

export type ListValue = ListOf<Value>
export type ObjectValue = ObjectOf<Value>
export type Entry = EntryOf<Value>
export interface NameValue extends Node {
  readonly kind: 'name'
  readonly name: QualifiedName
}
/** A number of a morphism; a name is that of a param. */
export type Setting = Literal | NameValue

/** What is in a test: config values, conditions, and what a double computes. */
export type TestValue = Value | ListOf<TestValue> | TestObject | Computed
export type TestObject = ObjectOf<TestValue>
export type Condition = Node & { readonly kind: 'condition'; readonly expression: Expression }
/** `input -> e` */
export type Computed = Node & { readonly kind: 'computed'; readonly function: KeyFunction }

// --- bodies

export type Statement = ChannelStatement | SpawnStatement | WireStatement

export interface ChannelStatement extends Node {
  readonly kind: 'channel'
  readonly name: Name
  readonly port: Port
}
export interface SpawnStatement extends Node {
  readonly kind: 'spawn'
  readonly process: QualifiedName
  readonly arguments: readonly SpawnArgument[]
}
export interface SpawnArgument extends Node {
  readonly port?: Name
  readonly channel: Name
}
/** A chain of at least two elements as a statement. */
export interface WireStatement extends Node {
  readonly kind: 'wire'
  readonly chain: Chain
}

// --- chains: `+` binds tighter than `*`, `*` tighter than `;`

/** Any morphism expression. A chain of one element is that element itself. */
export type Chain = Sequence | Tensor | Choice | FieldOf | Atom

export interface Sequence extends Node {
  readonly kind: 'sequence'
  readonly items: readonly Chain[]
}
export interface Tensor extends Node {
  readonly kind: 'tensor'
  readonly items: readonly Chain[]
}
export interface Choice extends Node {
  readonly kind: 'choice'
  readonly items: readonly Chain[]
}
/** `element.field`. `a.b` parses as a field too: names.ts turns it into a module member where `a` was named by `use`. */
export interface FieldOf extends Node {
  readonly kind: 'field'
  readonly of: Chain
  readonly field: Name
}

export type Atom = MorphismAtom | EachAtom | TraceAtom | Reference

/** A morphism by a word of its own. */
export type MorphismAtom = Structural | MapAtom | FilterAtom | ProjectAtom | BatchAtom | FoldAtom | CrossingAtom

export interface Structural extends Node {
  readonly kind: 'id' | 'copy' | 'merge' | 'discard' | 'empty' | 'barrier' | 'flatten'
  /** Of a barrier that joins by keys. */
  readonly join?: JoinOptions
}
/** `barrier(by: (k1, k2), within: seconds, unmatched: "drop")`: one key for each branch. */
export interface JoinOptions {
  readonly by: readonly Expression[]
  readonly within?: Setting
  readonly unmatched?: Literal
}
/** `map(expression)`; of the name of a tool also `map(name, parallel: n)`. */
export interface MapAtom extends Node {
  readonly kind: 'map'
  readonly expression: Expression
  readonly parallel?: Setting
}
export interface FilterAtom extends Node {
  readonly kind: 'filter'
  readonly expression: Expression
}
export interface ProjectAtom extends Node {
  readonly kind: 'project'
  readonly index: number
}
/** `batch(size, within: seconds)`; without a size it gathers all. */
export interface BatchAtom extends Node {
  readonly kind: 'batch'
  readonly size?: Setting
  readonly within?: Setting
}
/** `fold(expression, from: constant, by: key, emit: "end")` */
export interface FoldAtom extends Node {
  readonly kind: 'fold'
  readonly expression: Expression
  readonly from: Expression
  /** A state for each of its values. */
  readonly by?: Expression
  /** "end": the last states only, when the input ends. */
  readonly emit?: Literal
}
/** `endorse("why")`, `declassify("why")`: passes messages on without their label. */
export type CrossingAtom = Node & { readonly kind: 'endorse' | 'declassify'; readonly reason: Literal }
/** `each(chain)`: the chain on every element of a list. */
export interface EachAtom extends Node {
  readonly kind: 'each'
  readonly chain: Chain
  readonly parallel?: Setting
  readonly onError?: Literal
}
export interface TraceAtom extends Node {
  readonly kind: 'trace'
  readonly chain: Chain
  readonly max?: Literal
  readonly until?: Expression
}
/** A binding, channel or parameter by name, with the port after `@`. */
export interface Reference extends Node {
  readonly kind: 'reference'
  readonly name: QualifiedName
  readonly port?: Name
}

// --- expressions

export type Expression =
  | LiteralExpression
  | NameExpression
  | UnaryExpression
  | BinaryExpression
  | IfExpression
  | LetExpression
  | MatchExpression
  | CallExpression
  | FieldExpression
  | IndexExpression
  | SliceExpression
  | RecordExpression
  | ListExpression
  | Comprehension
  | Template

export interface LiteralExpression extends Node {
  readonly kind: 'literal'
  readonly value: string | number | boolean | null
  readonly text: string
}
/** A field of the input, `value`, or the one free name of a scalar input. */
export interface NameExpression extends Node {
  readonly kind: 'name'
  readonly name: string
}
export interface UnaryExpression extends Node {
  readonly kind: 'unary'
  readonly operator: '-' | 'not'
  readonly operand: Expression
}
export type BinaryOperator = '??' | 'or' | 'and' | '=' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%'
export interface BinaryExpression extends Node {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}
export interface IfExpression extends Node {
  readonly kind: 'if'
  readonly condition: Expression
  readonly then: Expression
  readonly else: Expression
}
/** `let name = value in body` */
export interface LetExpression extends Node {
  readonly kind: 'let'
  readonly name: Name
  readonly value: Expression
  readonly body: Expression
}
/** `match of { x : T -> e, _ -> e }` */
export interface MatchExpression extends Node {
  readonly kind: 'match'
  readonly of: Expression
  readonly arms: readonly MatchArm[]
}
/** Without a type it is `_ -> e`, which takes the rest. */
export interface MatchArm extends Node {
  readonly pattern?: { readonly name: Name; readonly type: TypeExpression }
  readonly body: Expression
}
/** `has(x)`, `upper(s)`, `min(a, b)`, `sort(xs, x -> e)`…, or of a bare binding, `f(x)` and `Module.f(x)`. */
export interface CallExpression extends Node {
  readonly kind: 'call'
  readonly module?: Name
  readonly function: Name
  readonly arguments: readonly Expression[]
  /** Behind the arguments. */
  readonly key?: KeyFunction
}
/** `x -> e` */
export interface KeyFunction extends Node {
  readonly parameter: Name
  readonly body: Expression
}
export interface FieldExpression extends Node {
  readonly kind: 'field'
  readonly of: Expression
  readonly field: Name
}
export interface IndexExpression extends Node {
  readonly kind: 'index'
  readonly of: Expression
  readonly index: Expression
}
/** `xs[from:to]`, either end left out or not. */
export interface SliceExpression extends Node {
  readonly kind: 'slice'
  readonly of: Expression
  readonly from?: Expression
  readonly to?: Expression
}
export interface RecordExpression extends Node {
  readonly kind: 'record'
  readonly parts: readonly RecordPart[]
}
/** `name: e`, the shorthand `name` (then value is a NameExpression), `[key]: e`, or `...e`. */
export type RecordPart =
  | { readonly kind: 'field'; readonly name: Name; readonly value: Expression; readonly isShorthand: boolean }
  | { readonly kind: 'computed'; readonly key: Expression; readonly value: Expression; readonly span: Span }
  | { readonly kind: 'spread'; readonly of: Expression; readonly span: Span }
export interface ListExpression extends Node {
  readonly kind: 'list'
  readonly items: readonly Expression[]
}
/** `[item for x in list if condition for …]` */
export interface Comprehension extends Node {
  readonly kind: 'comprehension'
  readonly item: Expression
  readonly loops: readonly [ComprehensionLoop, ...ComprehensionLoop[]]
}
export interface ComprehensionLoop extends Node {
  readonly name: Name
  readonly list: Expression
  readonly condition?: Expression
}
/** `$"text {e} text"`: texts and expressions by turns, a text first and last. */
export interface Template extends Node {
  readonly kind: 'template'
  /** What each says; their spans are those of what is written from quotes or brace to brace or quotes, with them. */
  readonly texts: readonly Name[]
  readonly holes: readonly Expression[]
}
