// What no regular grammar can say: comments nest, a line end may end a statement or an entry, and a template's text ends at braces and quotes.

#include "tree_sitter/parser.h"

enum Token { COMMENT, NEWLINE, ENTRY_END, TEMPLATE_TEXT, BLOCK_TEXT, RESET, PORT_SIGN, ENDORSE, DECLASSIFY };

void *tree_sitter_plumb_external_scanner_create(void) { return (void *)0; }
void tree_sitter_plumb_external_scanner_destroy(void *state) { (void)state; }

// Directly behind a comment: that it is so, whether a line has ended since the token before, and whether another comment comes.
enum State { BEHIND_COMMENT = 1, LINE_ENDED = 2, COMMENT_NEXT = 4 };
static char now;

unsigned tree_sitter_plumb_external_scanner_serialize(void *state, char *buffer) {
  (void)state;
  buffer[0] = now;
  return 1;
}

void tree_sitter_plumb_external_scanner_deserialize(void *state, const char *buffer, unsigned length) {
  (void)state;
  now = length > 0 ? buffer[0] : 0;
}

static bool is_hex(int32_t c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
static bool is_word(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Behind the backslash: an escape of JSON.
static bool scan_escape(TSLexer *lexer) {
  const char *simple = "\"\\/bfnrt";
  for (; *simple; simple++)
    if (lexer->lookahead == *simple) {
      lexer->advance(lexer, false);
      return true;
    }
  if (lexer->lookahead != 'u') return false;
  lexer->advance(lexer, false);
  for (int i = 0; i < 4; i++) {
    if (!is_hex(lexer->lookahead)) return false;
    lexer->advance(lexer, false);
  }
  return true;
}

static bool scan_text(TSLexer *lexer, bool is_block) {
  bool has_text = false;
  for (;;) {
    int32_t c = lexer->lookahead;
    lexer->mark_end(lexer);
    if (lexer->eof(lexer)) return has_text;
    if (c < 0x20 && !(is_block && (c == '\n' || c == '\r' || c == '\t'))) return has_text;
    lexer->advance(lexer, false);
    if (c == '"') {
      if (!is_block) return has_text;
      if (lexer->lookahead != '"') {
        has_text = true;
        continue;
      }
      lexer->advance(lexer, false);
      if (lexer->lookahead == '"') return has_text;
    } else if (c == '{' || c == '}') {
      if (lexer->lookahead != c) return has_text;
      lexer->advance(lexer, false);
    } else if (c == '\\' && !scan_escape(lexer)) {
      return false;
    }
    has_text = true;
  }
}

// At '(': the rest of a comment, if it is one.
static bool scan_comment(TSLexer *lexer, bool *has_line) {
  lexer->advance(lexer, false);
  if (lexer->lookahead != '*') return false;
  lexer->advance(lexer, false);
  for (unsigned depth = 1; depth > 0;) {
    if (lexer->eof(lexer)) return false;
    int32_t c = lexer->lookahead;
    lexer->advance(lexer, false);
    if (c == '\n') *has_line = true;
    if (c == '(' && lexer->lookahead == '*') {
      lexer->advance(lexer, false);
      depth++;
    } else if (c == '*' && lexer->lookahead == ')') {
      lexer->advance(lexer, false);
      depth--;
    }
  }
  return true;
}

static bool is_space(int32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A key begins here; 'and' and 'or' go on with the condition of the line before, and so does the 'in' of a 'let', which is a key before ':'.
static bool starts_entry(TSLexer *lexer) {
  if (lexer->lookahead == '"') return true;
  if (!is_word(lexer->lookahead)) return false;
  char word[4] = {0};
  unsigned length = 0;
  while (is_word(lexer->lookahead) || (lexer->lookahead >= '0' && lexer->lookahead <= '9')) {
    if (length < 4) word[length] = (char)lexer->lookahead;
    length++;
    lexer->advance(lexer, false);
  }
  bool is_and = length == 3 && word[0] == 'a' && word[1] == 'n' && word[2] == 'd';
  bool is_or = length == 2 && word[0] == 'o' && word[1] == 'r';
  if (length != 2 || word[0] != 'i' || word[1] != 'n') return !is_and && !is_or;
  while (is_space(lexer->lookahead)) lexer->advance(lexer, false);
  return lexer->lookahead == ':';
}

// White space and comments; whether a parenthesis stands behind them.
static bool opens_parenthesis(TSLexer *lexer) {
  for (;;) {
    while (is_space(lexer->lookahead)) lexer->advance(lexer, false);
    if (lexer->lookahead != '(') return false;
    bool has_line = false;
    if (!scan_comment(lexer, &has_line)) return true;
  }
}

// `endorse` and `declassify` are words only before a parenthesis; a binding may have such a name.
static bool scan_crossing(TSLexer *lexer) {
  const char *word = lexer->lookahead == 'e' ? "endorse" : "declassify";
  lexer->result_symbol = lexer->lookahead == 'e' ? ENDORSE : DECLASSIFY;
  for (; *word; word++) {
    if (lexer->lookahead != *word) return false;
    lexer->advance(lexer, false);
  }
  if (is_word(lexer->lookahead) || (lexer->lookahead >= '0' && lexer->lookahead <= '9')) return false;
  lexer->mark_end(lexer);
  return opens_parenthesis(lexer);
}

bool tree_sitter_plumb_external_scanner_scan(void *state, TSLexer *lexer, const bool *valid) {
  (void)state;
  // All of them are valid where the parser recovers from an error.
  bool is_lost = valid[TEMPLATE_TEXT] && valid[BLOCK_TEXT];
  if (!is_lost && (valid[TEMPLATE_TEXT] || valid[BLOCK_TEXT])) {
    lexer->result_symbol = valid[BLOCK_TEXT] ? BLOCK_TEXT : TEMPLATE_TEXT;
    return scan_text(lexer, valid[BLOCK_TEXT]);
  }
  char before = now;
  now = 0;
  bool has_line = (before & LINE_ENDED) != 0;
  if (!is_lost && valid[PORT_SIGN] && lexer->lookahead == '@' && before == 0) {
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = PORT_SIGN;
    return true;
  }
  // Behind the last comment nothing is passed over: a sign that may not follow a space is still to be told from one that may.
  bool is_peeking = before != 0 && (before & COMMENT_NEXT) == 0;
  lexer->mark_end(lexer);
  while (is_space(lexer->lookahead)) {
    if (lexer->lookahead == '\n') has_line = true;
    lexer->advance(lexer, !is_peeking);
  }
  if (!is_peeking) lexer->mark_end(lexer);
  int32_t c = lexer->lookahead;
  if (!is_peeking && c == '(' && scan_comment(lexer, &has_line)) {
    lexer->mark_end(lexer);
    while (is_space(lexer->lookahead)) lexer->advance(lexer, false);
    bool is_next = false;
    if (lexer->lookahead == '(') {
      lexer->advance(lexer, false);
      is_next = lexer->lookahead == '*';
    }
    now = (char)(BEHIND_COMMENT | (has_line ? LINE_ENDED : 0) | (is_next ? COMMENT_NEXT : 0));
    lexer->result_symbol = COMMENT;
    return true;
  }
  if (is_lost) return false;
  if (has_line && valid[NEWLINE] && c != ';' && c != '*' && c != '+' && c != '}' && c != 0) {
    lexer->result_symbol = NEWLINE;
    return true;
  }
  if (has_line && valid[ENTRY_END] && c != '(' && starts_entry(lexer)) {
    lexer->result_symbol = ENTRY_END;
    return true;
  }
  // An annotation begins; behind its sign the rest is done.
  if (before != 0 && c == '@') return false;
  // Forgotten before the next token, which is not ours.
  if (before != 0) {
    lexer->result_symbol = RESET;
    return true;
  }
  return (valid[ENDORSE] || valid[DECLASSIFY]) && (c == 'e' || c == 'd') && scan_crossing(lexer);
}
