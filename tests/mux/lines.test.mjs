// Configuration text that is easy to read wrongly: quotes, escapes, braces, conditions, comments.
// Each case is a file that tmux and vitrine must understand alike: the options it sets, the keys it
// binds, or that it is refused.

import test, { after, before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { noReference, Server } from './compare.mjs';

/** Cases: a name from what is tried, and the file's lines. */
const CASES = {
  'plain words, blanks and tabs': ['set  -g\t@a  one', 'set -g @b  two  '],
  'single quotes take all as it stands': [String.raw`set -g @a 'it is $HOME \n "x" ; # {'`],
  'double quotes expand': [String.raw`set -g @a "it is $HOME ${'${HOME}'} \"x\" \\ \t| ; # {"`],
  'quotes within a word': [String.raw`set -g @a x'y z'"w $NONE"\ v`],
  'an empty word': [`set -g @a ''`, 'set -g @b ""'],
  'escapes of characters': [String.raw`set -g @a \u00e9\101\e\s\;\#\{`, String.raw`set -g @b "\U0001F600 \a\b\f\v\r\n."`],
  'an escape that means nothing': [String.raw`set -g @a \x\9\_`],
  'a wrong octal escape': [String.raw`set -g @a \1x`],
  'an octal escape out of range': [String.raw`set -g @a \400`],
  'a wrong unicode escape': [String.raw`set -g @a \u12g4`],
  'a variable that is not set': ['set -g @a "x${NOT_SET_HERE}y$NOT_SET_HERE"'],
  'dollars that are none': ['set -g @a "$ $1 $- a$"'],
  'a variable without its end': ['set -g @a ${HOME'],
  'a variable with a strange name': ['set -g @a ${HO-ME}'],
  'a home directory': ['set -g @a ~/x', 'set -g @b "~/y"', "set -g @c '~/z'", 'set -g @d a~', 'set -g @e ~root/x'],
  'nobody\'s home directory': ['set -g @a ~nobody-of-this-name/x'],
  'assignments': ['A=one', 'set -g @a $A', 'A="two words" set -g @b "$A"', '%hidden B=three', 'set -g @c ${B}'],
  'what only looks like an assignment': ['set -g @a A=b', 'set -g @b =x', 'set -g @c 1A=b'],
  'comments': ['# one', '  # two', "set -g @a x # three 'four", 'set -g @b a#b', 'set -g @c "#{e}"#f'],
  'a format without quotes is a comment': ['set -g @b y', 'set -g @a #{x} y'],
  'a line that goes on': ['set -g @a \\', '  one', "set -g @b 'two\\", "three'", 'set -g @c fo\\', 'ur'],
  'a comment that goes on': ['# one \\', 'set -g @a two', 'set -g @b three'],
  'backslashes before a line\'s end': [String.raw`set -g @a 'x\\`, String.raw`y'`, String.raw`set -g @b z\\`],
  'lines within quotes': ['set -g @a "one', '   two', '  # gone', ' #{kept}', 'end"'],
  'several commands on a line': ['set -g @a 1 ; set -g @b 2;set -g @c 3 ;'],
  'a semicolon at the beginning': ['; set -g @a 1'],
  'two semicolons': ['set -g @a 1 ;; set -g @b 2'],
  'a failing command stops its line only': ['set -g @a 1 ; kill-session -t nowhere ; set -g @b 2', 'set -g @c 3'],
  'percent signs': ['set -g @a %', 'set -g @b %%', 'set -g @c %12', 'set -g @d a%H', 'set -g @e "%H"'],
  'a word that begins with a percent sign': ['set -g @a %H:%M'],
  'braces that do not match': ['set -g @a x}'],
  'a brace that is not closed': ['bind -T t a {', 'next-window'],
  'a brace where a command should be': ['{ set -g @a 1 }'],
  'a condition': ['%if #{==:a,a}', 'set -g @a yes', '%else', 'set -g @a no', '%endif'],
  'a condition in quotes': ['%if "#{==:a,b}"', 'set -g @a 1', "%elif '#{!=:a,b}'", 'set -g @a 2', '%else', 'set -g @a 3', '%endif'],
  'conditions of plain words': ['%if 1', 'set -g @a 1', '%endif', '%if 0', 'set -g @b 1', '%endif', '%if ""', 'set -g @c 1', '%endif'],
  'a condition on one line': ['%if 1 set -g @a 1 ; set -g @b 2 %else set -g @c 3 %endif'],
  'conditions within conditions': ['%if 0', '%if 1', 'set -g @a 1', '%else', 'set -g @b 1', '%endif', '%else', '%if 1', 'set -g @c 1', '%endif', '%endif'],
  'braces in a branch that is not taken': ['%if 0', 'bind -T t a {', 'next-window', '}', '%endif', 'set -g @a 1'],
  'an end without a beginning': ['%endif'],
  'a beginning without an end': ['%if 1', 'set -g @a 1'],
  'bindings of several commands': [String.raw`bind -T t a next-window \; last-window`, String.raw`bind -T t b next-window\; last-window`],
  'a binding in braces': ['bind -T t a { next-window ; last-window }'],
  'a binding over several lines': ['bind -T t a {', '  next-window # go on', "  # don't stop", '  display-message "}"', '}'],
  'a binding as text': [`bind -T t a "next-window ; display-message 'a b'"`],
  'keys that must be quoted': [`bind -T t '"' next-window`, `bind -T t '#' last-window`, `bind -T t \\; next-window`, `bind -T t '}' next-window`],
  'words with quotes in a binding': [String.raw`bind -T t a display-message 'a"b'`, String.raw`bind -T t b display-message "it's"`, String.raw`bind -T t c display-message 'x$y'`, String.raw`bind -T t d display-message 'x\y'`],
  'a semicolon that is sent': [String.raw`bind -T t a send-keys '\;'`],
  'an unknown command in a binding': ['bind -T t a no-such-command'],
  'if-shell with braces': ['if-shell -F 1 { set -g @a "}" ; set -g @b 2 } { set -g @c 3 }'],
  'if-shell with text': [`if-shell -F 0 'set -g @a 1' "set -g @b 'two words'"`],
  'carriage returns at line ends': ['set -g @a one\r', 'set -g @b two\r'],
};

/** Where vitrine differs on purpose: what it makes of the case, and why. */
const OURS = {
  'a beginning without an end': { options: ['@a 1'], why: 'what is wrong does not stop the rest of a file' },
  'a semicolon that is sent': { keys: 'bind-key -T t a send-keys "\\\\;"\n', why: 'what list-keys prints can be read back' },
  'carriage returns at line ends': { options: ['@a one', '@b two'], why: 'files from other systems are read as they are meant' },
};

async function understood(server, file) {
  await server.run('unbind-key', '-a', '-q', '-T', 't');
  const { code, stdout, stderr } = await server.run('source-file', file);
  const options = (await server.run('show-options', '-g')).stdout.split('\n').filter((line) => line.startsWith('@')).sort();
  for (const line of options) await server.run('set-option', '-gu', line.split(' ')[0]);
  const keys = await server.run('list-keys', '-T', 't');
  return { refused: code !== 0 || (stdout + stderr).trim() !== '', options, keys: keys.stdout.replace(/ +/g, ' ') };
}

describe('configuration text as tmux understands it', { skip: noReference }, () => {
  let servers;
  before(async () => {
    servers = [Server.make('tmux'), Server.make('vitrine')];
    // The home directory is expanded: the same in both.
    for (const server of servers) server.env.HOME = '/nonexistent';
    for (const server of servers) assert.equal((await server.run('new-session', '-d', '-s', 's', 'cat')).code, 0);
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  for (const [name, lines] of Object.entries(CASES)) {
    test(name, async () => {
      const [tmux, vitrine] = await Promise.all(servers.map((server) => {
        const file = path.join(server.dir, 'case.conf');
        writeFileSync(file, `${lines.join('\n')}\n`);
        return understood(server, file);
      }));
      const { why, ...ours } = OURS[name] ?? {};
      if (why) assert.notDeepEqual(vitrine, tmux, `no difference any more: ${why}`);
      assert.deepEqual(vitrine, { ...tmux, ...ours });
    });
  }
});
