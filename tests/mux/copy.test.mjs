// Copy mode: each script must leave the cursor, the view and the buffer alike in tmux and vitrine
// (copy.mjs). Every script runs with vi keys and with emacs keys.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { noReference } from './compare.mjs';
import { playBoth } from './copy.mjs';

// A paragraph, code, a wrapped line, wide and combining characters, blanks at both ends, a long
// tail: more than a screenful, so that there is scrollback.
const TEXT = [
  'the quick brown fox jumps over the lazy dog',
  '',
  'int main(int argc, char *argv[]) {',
  '    printf("hello, world: %d\\n", f(g(x), y[3]));',
  '    if (argc > 1 && argv[1][0] == \'-\')   return foo-bar_baz.qux/quux;',
  '}',
  '',
  '   indented by three   ',
  'ab 日本語 cd e\u0301f 한글 gh',
  'this line is so long that it goes on in the next row and in the one behind that: word1 word2 word3-word4 tail',
  'short',
  '',
  '',
  'Foo foo FOO fOO foobar barfoo foo.bar foo$ ^foo',
  'path/to/some-file.txt:12:34: error: unknown type name "size_t"',
  'http://example.org/a?b=c&d=e#f and (nested (brackets [here] and {there})) end',
  'aaaa aaa aa a',
  ...Array.from({ length: 14 }, (_, i) => `row ${i} of the tail, number ${i * 7 % 5}`),
].join('\n') + '\n';

const SCREEN = { text: TEXT, cols: 40, rows: 12 };

const begin = 'X begin-selection';
const copy = 'X copy-selection-and-cancel';
const top = 'X history-top';

const SCRIPTS = {
  'the cursor': [
    'X cursor-up', 'X5 cursor-up', 'X20 cursor-up', 'X30 cursor-up ; X3 cursor-down', 'X cursor-left', 'X9 cursor-left', `${top} ; X cursor-left`,
    `${top} ; X50 cursor-right`, 'X cursor-right', `${top} ; X end-of-line`, `${top} ; X end-of-line ; X cursor-down`,
    `${top} ; X end-of-line ; X2 cursor-down ; X cursor-up`, `${top} ; X20 cursor-right ; X cursor-down ; X cursor-down`,
    `${top} ; X8 cursor-down ; X5 cursor-right`, `${top} ; X8 cursor-down ; X4 cursor-right ; X cursor-down ; X cursor-up`,
    `${top} ; X9 cursor-down ; X45 cursor-right ; X start-of-line`, `${top} ; X9 cursor-down ; X end-of-line`,
    `${top} ; X7 cursor-down ; X back-to-indentation`, `${top} ; X10 cursor-down ; X6 cursor-right ; X back-to-indentation`,
    'X cursor-down ; X cursor-down', 'X up-and-away', 'X cursor-up nonsense',
  ],
  'pages and lines': [
    'X page-up', 'X2 page-up', 'X9 page-up', 'X page-up ; X page-down', 'X halfpage-up', 'X3 halfpage-up ; X halfpage-down', 'X9 page-up ; X page-down',
    'X scroll-up', 'X7 scroll-up', 'X7 scroll-up ; X3 scroll-down', 'X99 scroll-up', 'X top-line', 'X middle-line', 'X bottom-line',
    'X page-up ; X top-line', 'X page-up ; X middle-line', 'X page-up ; X bottom-line', `${top}`, `${top} ; X history-bottom`, 'X page-up ; X history-bottom',
    'X goto-line 0', 'X goto-line 7', 'X goto-line 9999', 'X goto-line -1', 'X goto-line x', 'X4 scroll-up ; X goto-line 2 ; X top-line',
    'X cursor-up ; X scroll-down-and-cancel', 'X scroll-up ; X scroll-down-and-cancel', 'X page-up ; X page-down-and-cancel', 'X halfpage-up ; X halfpage-down-and-cancel',
    'X cursor-down-and-cancel', 'X scroll-up ; X cursor-down-and-cancel', 'X8 cursor-up ; X page-up ; X page-up', `${top} ; X5 cursor-right ; X page-down ; X page-down`,
  ],
  'words': [
    `${top} ; X next-word`, `${top} ; X4 next-word`, `${top} ; X9 next-word`, `${top} ; X14 next-word`, `${top} ; X25 next-word`, `${top} ; X60 next-word`,
    `${top} ; X next-word-end`, `${top} ; X4 next-word-end`, `${top} ; X10 next-word-end`, `${top} ; X17 next-word-end`, `${top} ; X30 next-word-end`,
    `${top} ; X3 next-space`, `${top} ; X12 next-space`, `${top} ; X30 next-space`, `${top} ; X3 next-space-end`, `${top} ; X13 next-space-end`, `${top} ; X31 next-space-end`,
    'X previous-word', 'X5 previous-word', 'X40 previous-word', 'X75 previous-word', 'X120 previous-word', 'X5 previous-space', 'X50 previous-space', 'X70 previous-space',
    `${top} ; X8 cursor-down ; X next-word`, `${top} ; X8 cursor-down ; X2 next-word ; X next-word-end`, `${top} ; X8 cursor-down ; X end-of-line ; X previous-word`,
    `${top} ; X9 cursor-down ; X14 next-word`, `${top} ; X11 cursor-down ; X previous-word`, `${top} ; X11 cursor-down ; X4 previous-word`, 'X200 next-word',
    'set-option -g word-separators _ ; X history-top ; X4 cursor-down ; X8 next-word ; set-option -gu word-separators',
  ],
  'paragraphs, brackets, jumps, the mark': [
    `${top} ; X next-paragraph`, `${top} ; X2 next-paragraph`, `${top} ; X9 next-paragraph`, 'X previous-paragraph', 'X2 previous-paragraph', 'X9 previous-paragraph',
    `${top} ; X2 cursor-down ; X8 cursor-right ; X next-matching-bracket`, `${top} ; X2 cursor-down ; X33 cursor-right ; X next-matching-bracket`,
    `${top} ; X5 cursor-down ; X previous-matching-bracket`, `${top} ; X2 cursor-down ; X next-matching-bracket`, `${top} ; X2 cursor-down ; X9 cursor-right ; X next-matching-bracket`,
    `${top} ; X3 cursor-down ; X end-of-line ; X previous-matching-bracket`, `${top} ; X3 cursor-down ; X end-of-line ; X2 cursor-left ; X previous-matching-bracket`,
    `${top} ; X jump-forward o`, `${top} ; X2 jump-forward o`, `${top} ; X9 jump-forward o`, `${top} ; X jump-to-forward o`, `${top} ; X jump-forward o ; X jump-again ; X jump-again`,
    `${top} ; X jump-to-forward o ; X jump-again`, `${top} ; X jump-forward o ; X2 jump-again ; X jump-reverse`, `${top} ; X end-of-line ; X jump-backward o`,
    `${top} ; X end-of-line ; X jump-to-backward o`, `${top} ; X end-of-line ; X jump-to-backward o ; X jump-again`, `${top} ; X end-of-line ; X jump-to-backward o ; X jump-reverse`,
    `${top} ; X8 cursor-down ; X jump-forward 語`, `${top} ; X9 cursor-down ; X3 jump-forward w`, `${top} ; X jump-forward Q`, 'X jump-again',
    'X3 cursor-up ; X set-mark ; X page-up ; X jump-to-mark', 'X3 cursor-up ; X set-mark ; X9 page-up ; X jump-to-mark ; X jump-to-mark', 'X9 page-up ; X jump-to-mark',
  ],
  'searching': [
    'X search-backward foo', 'X2 search-backward foo', 'X9 search-backward foo', 'X search-backward Foo', 'X search-backward nothing-like-it', `${top} ; X search-forward foo`,
    `${top} ; X3 search-forward foo`, `${top} ; X search-forward foo ; X search-again`, `${top} ; X search-forward foo ; X search-again ; X search-reverse`,
    `${top} ; X search-forward foo ; X2 search-again ; X search-reverse`, 'X search-forward foo', 'X search-forward fox', 'set-option -g wrap-search off ; X search-forward fox',
    'set-option -g wrap-search off ; X search-backward fox ; X search-again', `${top} ; X search-forward-text foo.bar`, `${top} ; X search-forward "foo.bar"`, `${top} ; X search-forward "w[a-z]+[0-9]"`,
    `${top} ; X search-forward "^short"`, `${top} ; X search-forward "wor(d2|d3)"`, `${top} ; X search-forward "next row"`, `${top} ; X search-forward "that: word1"`, `${top} ; X search-forward 日本`,
    `${top} ; X search-forward 한글`, `${top} ; X search-forward "("`, `${top} ; X search-forward-text "("`, `${top} ; X search-forward-text "argv["`, `${top} ; X search-forward ""`,
    'X search-backward "row [0-9]"', 'X3 search-backward "row [0-9]"', `${top} ; X search-forward aa ; X search-again ; X search-again`, 'X search-backward aa ; X search-again ; X search-again',
    'X search-backward foo ; X cursor-left', 'X search-backward foo ; X begin-selection', 'X search-backward foo ; X3 cursor-up ; X search-again', `${top} ; X search-forward foo ; X copy-selection`,
    'X search-backward quick ; X copy-selection', 'X search-backward foo ; X cancel', 'X search-backward foo ; copy-mode -q -t s ; copy-mode -t s ; X search-again',
    'X search-backward-incremental =foo', 'X search-backward-incremental =f ; X search-backward-incremental =fo ; X search-backward-incremental =fox',
    'X search-backward-incremental =foo ; X search-backward-incremental -foo ; X search-backward-incremental +foo', `${top} ; X search-forward-incremental =foo`, 'X search-forward-incremental =',
    'X search-backward-incremental =qqq', 'X search-again', 'X search-backward "e"', 'X search-backward "o " ; X search-again', `${top} ; X search-forward "f$"`,
  ],
  'selecting': [
    `${top} ; ${begin} ; X5 cursor-right ; ${copy}`, `${top} ; ${begin} ; X2 cursor-down ; X5 cursor-right ; ${copy}`, `${top} ; ${begin} ; X end-of-line ; ${copy}`, `${top} ; X2 cursor-down ; ${begin} ; X2 cursor-up ; ${copy}`,
    `${top} ; X8 cursor-right ; ${begin} ; X5 cursor-left ; ${copy}`, `${top} ; X9 cursor-down ; ${begin} ; X end-of-line ; ${copy}`, `${top} ; X9 cursor-down ; ${begin} ; X1 cursor-down ; X4 cursor-right ; ${copy}`,
    `${top} ; X9 cursor-down ; X20 cursor-right ; ${begin} ; X2 cursor-down ; ${copy}`, `${top} ; X8 cursor-down ; X3 cursor-right ; ${begin} ; X4 cursor-right ; ${copy}`,
    `${top} ; X8 cursor-down ; ${begin} ; X end-of-line ; ${copy}`, `${top} ; X7 cursor-down ; ${begin} ; X end-of-line ; ${copy}`, `${top} ; ${begin} ; X history-bottom ; ${copy}`, `${top} ; ${begin} ; X cursor-down ; ${copy}`,
    `${top} ; ${begin} ; X cursor-down ; X other-end`, `${top} ; X cursor-down ; ${begin} ; X2 cursor-down ; X3 cursor-right ; X other-end ; X cursor-up ; ${copy}`, `${begin} ; X9 page-up ; X other-end`,
    `${top} ; ${begin} ; X9 page-down ; X other-end ; X cursor-right ; ${copy}`, `${top} ; ${begin} ; X3 cursor-right ; X clear-selection`, `${top} ; ${begin} ; X3 cursor-right ; X stop-selection ; X3 cursor-right`,
    `${top} ; ${begin} ; X3 cursor-right ; X stop-selection ; X3 cursor-right ; ${copy}`, `${top} ; X select-line`, `${top} ; X select-line ; ${copy}`, `${top} ; X3 select-line ; ${copy}`,
    `${top} ; X9 cursor-down ; X select-line ; ${copy}`, `${top} ; X9 cursor-down ; X50 cursor-right ; X select-line ; ${copy}`, `${top} ; X2 cursor-down ; X select-line ; X cursor-down ; ${copy}`,
    `${top} ; X4 cursor-down ; X select-line ; X2 cursor-up ; ${copy}`, `${top} ; X4 cursor-right ; X select-word ; ${copy}`, `${top} ; X6 cursor-right ; X select-word`, `${top} ; X6 cursor-right ; X select-word ; ${copy}`,
    `${top} ; X4 cursor-down ; X44 cursor-right ; X select-word ; ${copy}`, `${top} ; X16 cursor-down ; X13 cursor-right ; X select-word ; ${copy}`, `${top} ; X8 cursor-down ; X4 cursor-right ; X select-word ; ${copy}`,
    `${top} ; X6 cursor-right ; X select-word ; X2 next-word ; ${copy}`, `${top} ; X12 cursor-right ; X select-word ; X2 previous-word ; ${copy}`, 'X copy-selection', `${top} ; ${begin} ; X4 cursor-right ; X copy-selection`,
    `${top} ; ${begin} ; X4 cursor-right ; X copy-selection-no-clear`, `${top} ; ${begin} ; X4 cursor-right ; X copy-selection mine`, `${top} ; ${begin} ; X3 cursor-right ; X copy-selection ; X2 cursor-down ; ${begin} ; X3 cursor-right ; X append-selection`,
    `${top} ; ${begin} ; X3 cursor-right ; X append-selection-and-cancel`, `${top} ; X3 cursor-right ; X copy-end-of-line`, `${top} ; X3 cursor-right ; X3 copy-end-of-line`, `${top} ; X3 cursor-right ; X copy-end-of-line-and-cancel`,
    `${top} ; X3 cursor-right ; X copy-line`, `${top} ; X9 cursor-down ; X copy-line`, `${top} ; X9 cursor-down ; X2 copy-line`, `${top} ; X9 cursor-down ; X50 cursor-right ; X copy-end-of-line`,
    `${top} ; X cursor-down ; X copy-line`, `${top} ; X3 cursor-right ; X copy-pipe-end-of-line-and-cancel`, `${top} ; X10 cursor-down ; ${begin} ; X2 cursor-down ; ${copy}`,
  ],
  'rectangles': [
    `${top} ; X4 cursor-right ; ${begin} ; X rectangle-toggle ; X4 cursor-down ; X5 cursor-right ; ${copy}`, `${top} ; X10 cursor-right ; ${begin} ; X rectangle-on ; X4 cursor-down ; X5 cursor-left ; ${copy}`,
    `${top} ; X4 cursor-down ; X10 cursor-right ; ${begin} ; X rectangle-toggle ; X3 cursor-up ; X4 cursor-left ; ${copy}`, `${top} ; X4 cursor-down ; X10 cursor-right ; ${begin} ; X rectangle-toggle ; X3 cursor-up ; X4 cursor-right ; ${copy}`,
    `${top} ; ${begin} ; X rectangle-toggle ; X3 cursor-down ; X end-of-line ; ${copy}`, `${top} ; ${begin} ; X rectangle-toggle ; X rectangle-toggle ; X2 cursor-down`, `${top} ; X rectangle-toggle ; ${begin} ; X6 cursor-down ; X9 cursor-right`,
    `${top} ; X7 cursor-down ; X4 cursor-right ; ${begin} ; X rectangle-toggle ; X3 cursor-down ; X3 cursor-right ; ${copy}`, `${top} ; X8 cursor-down ; X3 cursor-right ; ${begin} ; X rectangle-toggle ; X2 cursor-down ; X6 cursor-right ; ${copy}`,
    `${top} ; X2 cursor-down ; X9 cursor-right ; X rectangle-on ; ${begin} ; X2 cursor-down ; X4 cursor-right ; X other-end ; X cursor-left`, `${top} ; X end-of-line ; ${begin} ; X rectangle-on ; X cursor-down ; X rectangle-off`,
  ],
  // tmux takes the word from what it has drawn, so that in the first row the position stands in it and
  // wrapped lines are apart: those are left out
  'the word at the cursor': [
    `${top} ; X3 cursor-down ; X next-word`, `${top} ; X3 cursor-down ; X9 cursor-right`, `${top} ; X5 cursor-down ; X8 next-word`, `${top} ; X8 cursor-down ; X5 cursor-right`, `${top} ; X7 cursor-down`,
    'X page-up ; X6 cursor-down ; X4 next-word', 'X page-up ; X6 cursor-down ; X next-space', 'X3 cursor-up ; X9 next-word', 'X4 cursor-up',
  ],
  'keys': [
    'K -X -N 3 cursor-up', 'K -N 3 ; X cursor-up', 'K Up', 'K -N 4 Up', 'K PPage', 'K q', 'K Escape', 'K x', 'K PPage PPage Home', 'K Up Up Left Left', 'K C-Up', 'X toggle-position', 'X refresh-from-pane',
    `${top} ; X refresh-from-pane`, 'copy-mode -u -t s', 'copy-mode -e -t s', 'copy-mode -q -t s ; copy-mode -u -t s', 'copy-mode -q -t s ; copy-mode -e -t s ; X3 scroll-up ; X3 scroll-down',
    'copy-mode -q -t s ; copy-mode -e -t s ; X page-up ; X page-down', 'copy-mode -q -t s ; X cursor-up', 'copy-mode -q -t s', 'copy-mode -t nowhere', 'copy-mode -s nowhere -t s',
  ],
};

for (const [name, scripts] of Object.entries(SCRIPTS)) {
  describe(name, { skip: noReference }, () => {
    let results;
    const all = ['vi', 'emacs'].flatMap((mode) => scripts.map((script) => ({ script, mode, format: name === 'the word at the cursor' ? ' word=#{copy_cursor_word}' : '' })));
    const played = () => (results ??= playBoth(SCREEN, all));
    all.forEach((one, i) => {
      test(`${one.mode}: ${one.script}`, { timeout: 300_000 }, async () => {
        const { tmux, vitrine } = (await played())[i];
        assert.deepEqual(vitrine, tmux);
      });
    });
  });
}
