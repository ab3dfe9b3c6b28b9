// Specs of plumb for tree-sitter, by the grammar of plumbing(5). src/scanner.c has what depends on lines, comments that nest, and the texts of
// templates.

const listOf = (rule) => seq(rule, repeat(seq(',', rule)))

// Words that name nothing of the program's own; in an expression most of them are fields too.
const RESERVED_FIELDS = [
  ...['type', 'let', 'use', 'protocol', 'agent', 'tool', 'plumb', 'map', 'filter', 'project', 'id', 'copy', 'merge', 'discard', 'empty'],
  ...['barrier', 'each', 'flatten', 'batch', 'fold', 'trace', 'spawn', 'channel'],
]
const RESERVED_WORDS = ['true', 'false', 'null', 'if', 'then', 'else', 'and', 'or', 'not', 'for', 'in']
const MORPHISM_WORDS = [...['map', 'filter', 'project', 'id', 'copy', 'merge', 'discard', 'empty', 'barrier', 'flatten', 'batch', 'fold']]

// What stands between the quotes of a string, whose escapes are those of JSON.
const ESCAPE = String.raw`\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}`
const CHARACTER = String.raw`([^"\\\u0000-\u001f]|${ESCAPE})`
const BLOCK_CHARACTER = String.raw`([^"\\\u0000-\u0008\u000b\u000c\u000e-\u001f]|${ESCAPE})`

const words = ($, list) => list.map((word) => alias(word, $.identifier))

module.exports = grammar({
  name: 'plumb',
  word: ($) => $.identifier,
  externals: ($) => [$.comment, $._newline, $._entry_end, $._template_text, $._block_text, $._reset, $._port_sign, $.endorse, $.declassify],
  extras: ($) => [/[ \t\r\n\uFEFF]/, $.comment, $._reset],
  conflicts: ($) => [[$.bare_port, $.tuple_type]],
  supertypes: ($) => [$._item, $._type, $._expression],

  rules: {
    program: ($) => seq(optional($.shebang), repeat($._item)),
    shebang: () => token(/#![^\n]*/),
    _item: ($) => choice($.use, $.type_declaration, $.protocol, $.param, $.binding, $.test),

    use: ($) => seq('use', choice($._own_name, $.string), optional(seq('as', field('alias', $._own_name)))),
    type_declaration: ($) => seq('type', field('name', $._own_name), '=', field('type', $._type)),
    param: ($) => seq('param', field('name', $._own_name), ':', field('type', $._type), optional(seq('=', $._constant))),
    protocol: ($) => seq('protocol', field('name', $._own_name), '=', $._steps),
    _steps: ($) => seq($._step, repeat(seq('.', $._step))),
    _step: ($) => choice($.message_step, $.call_step, $.choice_step, 'loop', 'end', $.step_name),
    message_step: ($) => seq(choice('send', 'recv'), $._step_type),
    call_step: ($) => seq('call', $._label),
    choice_step: ($) => seq('{', listOf(choice('end', 'loop', $.branch)), '}'),
    branch: ($) => seq(field('label', $._label), ':', $._steps),
    step_name: ($) => prec.right(seq($._own_name, optional(seq($._point, $._own_name)))),
    _label: ($) => choice($.string, $._any_name),
    // Between steps a point stands in white space; here it does not.
    _point: () => token.immediate(prec(1, '.')),
    _step_type: ($) => choice(alias($.step_sum, $.sum_type), $._step_alternative),
    step_sum: ($) => seq($._step_alternative, repeat1(seq('|', $._step_alternative))),
    _step_alternative: ($) =>
      choice(
        alias($.step_named, $.named_type),
        alias($.step_labelled, $.labelled_type),
        ...[$.literal_type, $.array_type, $.tuple_type, $.record_type, $.map_type, $.parenthesized_type],
      ),
    step_named: ($) => prec.right(seq($._type_name, optional(seq($._point, $._type_name)))),
    step_labelled: ($) => prec(1, seq(field('label', choice('untrusted', 'secret')), $._step_alternative)),
    test: ($) => seq('test', field('name', $.string), 'of', field('of', $.name), field('config', $.test_object)),
    binding: ($) =>
      seq(
        repeat($.annotation),
        'let',
        field('name', $._own_name),
        optional(seq(':', field('input', $._ports), choice('->', '→'), field('output', $._ports))),
        '=',
        field('value', choice($.agent, $.tool, $.plumb, $.object, $._chain)),
      ),
    annotation: ($) => prec.right(seq('@', field('name', $._any_name), optional($._literal))),
    agent: ($) => seq('agent', alias($.agent_object, $.object)),
    tool: ($) => seq('tool', $.object),

    // --- ports and types
    _ports: ($) => choice($.port, $.ports),
    ports: ($) =>
      seq('(', optional(seq(repeat(seq(alias($.bare_port, $.port), ',')), alias($._stream_port, $.port), repeat(seq(',', $.port)))), ')'),
    bare_port: ($) => $._type,
    _stream_port: ($) => seq(choice('!', '~'), $._type),
    port: ($) => seq(optional(choice('!', '~')), $._type),
    _type: ($) => choice($.sum_type, $._alternative),
    sum_type: ($) => seq($._alternative, repeat1(seq('|', $._alternative))),
    _alternative: ($) =>
      choice($.named_type, $.literal_type, $.array_type, $.tuple_type, $.record_type, $.map_type, $.labelled_type, $.parenthesized_type),
    named_type: ($) => prec.right(seq($._type_name, optional(seq('.', $._type_name)))),
    _type_name: ($) => choice($.identifier, ...words($, ['untrusted', 'secret'])),
    literal_type: ($) => $.string,
    labelled_type: ($) => prec(1, seq(field('label', choice('untrusted', 'secret')), $._alternative)),
    array_type: ($) => seq('[', $._type, ']'),
    parenthesized_type: ($) => seq('(', $._type, ')'),
    tuple_type: ($) => seq('(', $._type, repeat1(seq(',', $._type)), ')'),
    record_type: ($) => seq('{', optional(choice(seq(listOf($.field_type), optional(seq(',', '...'))), '...')), '}'),
    field_type: ($) =>
      seq(repeat($.annotation), field('name', $._key), optional('?'), ':', field('type', $._type), optional(seq('=', $._constant))),
    map_type: ($) => seq('{', '[', 'string', ']', ':', $._type, '}'),

    // --- bodies and chains
    plumb: ($) => seq('plumb', '(', listOf(field('parameter', $._own_name)), ')', $.body),
    body: ($) => seq('{', optional(seq($._statement, repeat(seq($._newline, $._statement)))), '}'),
    _statement: ($) => choice($.channel, $.spawn, $.wire),
    channel: ($) => seq('let', field('name', $._own_name), ':', $.port, '=', 'channel'),
    spawn: ($) => seq('spawn', field('process', $.name), '(', optional(listOf($.argument)), ')'),
    argument: ($) => seq(field('name', $._any_name), optional(seq('=', field('channel', $._own_name)))),
    wire: ($) => seq($._tensor, repeat1(seq(';', $._tensor))),

    _chain: ($) => choice($.sequence, $._tensor),
    sequence: ($) => seq($._tensor, repeat1(seq(';', $._tensor))),
    _tensor: ($) => choice($.tensor, $._fallback),
    tensor: ($) => seq($._fallback, repeat1(seq('*', $._fallback))),
    _fallback: ($) => choice($.fallback, $._element),
    fallback: ($) => seq($._element, repeat1(seq('+', $._element))),
    _element: ($) => choice($.member, $._atom),
    member: ($) => seq($._element, '.', field('field', $._any_name), optional($._port_behind)),
    _port_behind: ($) => seq($._port_sign, field('port', $._any_name)),
    _atom: ($) =>
      choice(
        $.plain_morphism,
        $.map,
        $.filter,
        $.project,
        $.each,
        $.batch,
        $.fold,
        $.keyed_barrier,
        $.trace,
        $.crossing,
        $.reference,
        $.parenthesized_chain,
      ),
    parenthesized_chain: ($) => seq('(', $._chain, ')'),
    reference: ($) => seq(field('name', $.identifier), optional($._port_behind)),
    plain_morphism: () => choice('id', 'copy', 'merge', 'discard', 'empty', 'barrier', 'flatten'),
    map: ($) => seq('map', '(', $._expression, repeat(seq(',', 'parallel', ':', $._setting)), ')'),
    filter: ($) => seq('filter', '(', $._expression, ')'),
    project: ($) => seq('project', '(', $.number, ')'),
    each: ($) =>
      seq('each', '(', $._chain, repeat(seq(',', choice(seq('parallel', ':', $._setting), seq('on_error', ':', $._literal)))), ')'),
    batch: ($) => seq('batch', '(', optional(choice(seq($._setting, optional(seq(',', $._within))), $._within)), ')'),
    _within: ($) => seq('within', ':', $._setting),
    _setting: ($) => choice($._literal, $.param_name),
    param_name: ($) => seq($.identifier, optional(seq('.', $.identifier))),
    fold: ($) => seq('fold', '(', $._expression, repeat1(seq(',', $._fold_option)), ')'),
    _fold_option: ($) => choice(seq(choice('from', 'by'), ':', $._expression), seq('emit', ':', $._literal)),
    keyed_barrier: ($) => seq('barrier', '(', listOf($._join_option), ')'),
    _join_option: ($) => choice(seq('by', ':', choice($._expression, $.keys)), seq(choice('within', 'unmatched'), ':', $._setting)),
    keys: ($) => seq('(', $._expression, repeat1(seq(',', $._expression)), ')'),
    trace: ($) => seq('trace', '(', $._chain, repeat(seq(',', choice(seq('max', ':', $._literal), seq('until', ':', $._expression)))), ')'),
    crossing: ($) => seq(choice($.endorse, $.declassify), '(', $.string, ')'),

    // --- values
    object: ($) => seq('{', optional(seq($.entry, repeat(seq($._separator, $.entry)), optional(','))), '}'),
    _separator: ($) => choice(',', $._entry_end),
    entry: ($) => seq(field('key', $._key), ':', field('value', $._value)),
    agent_object: ($) => seq('{', optional(seq($._agent_entry, repeat(seq($._separator, $._agent_entry)), optional(','))), '}'),
    _agent_entry: ($) => choice(alias($.conversation_entry, $.entry), alias($.agent_entry, $.entry)),
    conversation_entry: ($) => seq(field('key', 'conversation'), ':', field('value', $._expression)),
    agent_entry: ($) =>
      seq(
        field('key', choice($._plain_name, $.string, ...words($, RESERVED_FIELDS), ...words($, RESERVED_WORDS))),
        ':',
        field('value', $._value),
      ),
    _key: ($) => choice($._any_name, $.string),
    _value: ($) => choice($._literal, $.template, $.object, $.list, $.value_name),
    list: ($) => seq('[', optional(listOf($._value)), ']'),
    value_name: ($) => prec.right(seq(choice($.identifier, ...words($, MORPHISM_WORDS)), optional(seq('.', $.identifier)))),

    // --- tests: conditions stand behind some keys, and functions where a tool answers
    test_object: ($) => seq('{', optional(seq($._test_entry, repeat(seq($._separator, $._test_entry)), optional(','))), '}'),
    _test_entry: ($) => choice(alias($.condition_entry, $.entry), alias($.test_entry, $.entry)),
    condition_entry: ($) => seq(field('key', choice('holds', 'when', 'matches', 'input', 'want')), ':', field('value', $._expression)),
    test_entry: ($) =>
      seq(
        field('key', choice($._plain_name, $.string, ...words($, RESERVED_FIELDS), ...words($, RESERVED_WORDS))),
        ':',
        field('value', $._test_value),
      ),
    _test_value: ($) =>
      choice($._literal, $.template, alias($.test_object, $.object), alias($.test_list, $.list), $.value_name, $.function),
    test_list: ($) => seq('[', optional(listOf($._test_value)), ']'),

    _literal: ($) => choice($.string, $.number, $.negative, $.boolean, $.null),
    _constant: ($) => choice($._literal, $.constant_list, $.constant_record),
    constant_list: ($) => seq('[', optional(listOf($._constant)), ']'),
    constant_record: ($) => seq('{', optional(listOf($.constant_field)), '}'),
    constant_field: ($) => seq(field('name', $._key), ':', field('value', $._constant)),
    negative: ($) => seq('-', $.number),
    boolean: () => choice('true', 'false'),
    null: () => 'null',

    // --- expressions, from loose to tight
    _expression: ($) => choice($.if, $.let, $._coalesce),
    let: ($) => seq('let', field('name', $._own_name), '=', $._expression, 'in', field('body', $._expression)),
    if: ($) => seq('if', $._expression, 'then', $._expression, 'else', $._expression),
    _coalesce: ($) => choice(alias($.coalesce, $.binary), $._or),
    coalesce: ($) => seq($._or, '??', $._coalesce),
    _or: ($) => choice(alias($.or, $.binary), $._and),
    or: ($) => seq($._or, choice('or', '||'), $._and),
    _and: ($) => choice(alias($.and, $.binary), $._not),
    and: ($) => seq($._and, choice('and', '&&'), $._not),
    _not: ($) => choice(alias($.not, $.unary), $._compare),
    not: ($) => seq(choice('not', '!'), $._not),
    _compare: ($) => choice(alias($.compare, $.binary), $._sum),
    compare: ($) => seq($._sum, choice('=', '!=', '<', '<=', '>', '>='), $._sum),
    _sum: ($) => choice(alias($.sum, $.binary), $._product),
    sum: ($) => seq($._sum, choice('+', '-'), $._product),
    _product: ($) => choice(alias($.product, $.binary), $._minus),
    product: ($) => seq($._product, choice('*', '/', '%'), $._minus),
    _minus: ($) => choice(alias($.minus, $.unary), $._postfix),
    minus: ($) => seq('-', $._minus),
    _postfix: ($) => choice($.field, $.index, $.slice, $.call, $._primary),
    field: ($) => seq($._postfix, '.', field('field', $._key)),
    index: ($) => seq($._postfix, '[', $._expression, ']'),
    slice: ($) => seq($._postfix, '[', optional($._expression), ':', optional($._expression), ']'),
    call: ($) => seq(field('function', choice($.variable, $.field)), '(', optional(listOf(choice($._expression, $.function))), ')'),
    function: ($) =>
      prec.right(seq(field('parameter', choice($.identifier, ...words($, ['match']))), choice('->', '→'), field('body', $._expression))),
    _primary: ($) =>
      choice(
        $.string,
        $.number,
        $.boolean,
        $.null,
        $.template,
        $.variable,
        $.parenthesized_expression,
        $.list_expression,
        $.comprehension,
        $.record,
        $.match,
      ),
    match: ($) => seq('match', $._expression, '{', optional(listOf($.arm)), '}'),
    arm: ($) =>
      seq(
        choice('_', seq(field('name', choice($._own_name, ...words($, ['_']))), ':', field('type', $._type))),
        choice('->', '→'),
        field('body', $._expression),
      ),
    variable: ($) => $._field_name,
    parenthesized_expression: ($) => seq('(', $._expression, ')'),
    list_expression: ($) => seq('[', optional(listOf($._expression)), ']'),
    comprehension: ($) => seq('[', $._expression, repeat1($.loop), ']'),
    loop: ($) => seq('for', field('name', $._own_name), 'in', $._expression, optional(seq('if', $._expression))),
    record: ($) => seq('{', optional(listOf($._part)), '}'),
    _part: ($) => choice($.spread, $.record_field, $.computed_field, alias($._field_name, $.shorthand)),
    computed_field: ($) => seq('[', field('key', $._expression), ']', ':', field('value', $._expression)),
    spread: ($) => seq('...', $._expression),
    record_field: ($) => seq(field('name', $._key), ':', field('value', $._expression)),

    template: ($) =>
      choice(
        seq('$"', repeat(choice($._template_text, $.hole)), token.immediate('"')),
        seq('$"""', repeat(choice($._block_text, $.hole)), token.immediate('"""')),
      ),
    hole: ($) => seq(token.immediate('{'), $._expression, '}'),

    // --- words
    name: ($) => prec.right(seq($._own_name, optional(seq('.', $._own_name)))),
    _own_name: ($) => $.identifier,
    _plain_name: ($) => $.identifier,
    // 'let' begins an expression of its own.
    _field_name: ($) =>
      choice(
        $.identifier,
        ...words(
          $,
          RESERVED_FIELDS.filter((word) => word !== 'let'),
        ),
      ),
    _any_name: ($) => choice($.identifier, ...words($, RESERVED_FIELDS), ...words($, RESERVED_WORDS)),
    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,
    number: () => /(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/,
    string: () => token(choice(new RegExp(`"(${CHARACTER})*"`), new RegExp(`"""(${BLOCK_CHARACTER}|""?${BLOCK_CHARACTER})*"""`))),
  },
})
