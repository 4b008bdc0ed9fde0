'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const test = require('node:test');

const problems = require('../src/problems');
const profile = require('../src/profile');

const root = path.join(__dirname, '..');
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

const PROFILE = {
  format: 'cyclescope-profile/1', cycles: 2000,
  lines: [
    { file: 'src/main.c', line: 7, count: 1, cycles: 1500, causes: { issue: 500, 'wait-state': 1000 } },
    { file: '/elsewhere/lib.c', line: 3, count: 12, cycles: 1 },
  ],
  functions: [
    { name: 'work', file: 'src/main.c', line: 5, calls: 3, inclusive: 1234, exclusive: 1200 },
    { name: 'main', file: 'src/main.c', line: 9, calls: 0, inclusive: 2000, exclusive: 766 },
    { name: 'start', file: null, line: null, calls: 1, inclusive: 5, exclusive: 5 },
  ],
};

test('a profile gives each line its cycles and each function its calls', () => {
  const files = profile.read(JSON.stringify(PROFILE), '/work/app');
  assert.deepStrictEqual([...files.keys()], [path.resolve('/work/app/src/main.c'), path.resolve('/elsewhere/lib.c')]);
  const main = files.get(path.resolve('/work/app/src/main.c'));
  assert.deepStrictEqual(main.lines, [{
    line: 7, text: '1,500', hover: '1,500 cycles (75.0 %), executed 1 time  \nwait-state: 1,000  \nissue: 500',
  }]);
  assert.deepStrictEqual(main.functions, [
    { line: 5, title: '1,234 cycles, 411 for each of 3 calls; 1,200 of its own' },
    { line: 9, title: '2,000 cycles; 766 of its own' },
  ]);
  assert.deepStrictEqual(files.get(path.resolve('/elsewhere/lib.c')).lines[0].text, '1');
});

test('what is no profile and no log is refused', () => {
  for (const text of ['{}', 'null', '[]', '{"format":"cyclescope-profile/2"}', 'nothing']) {
    assert.throws(() => profile.read(text, '/'));
    assert.throws(() => problems.read(text, '/'));
  }
  assert.strictEqual(profile.read('{"format":"cyclescope-profile/1"}', '/').size, 0);
  assert.strictEqual(problems.read('{"runs":[{}]}', '/').size, 0);
});

test('a log of SARIF gives the problems of each file', () => {
  const at = (uri, startLine) => [{ physicalLocation: { artifactLocation: { uri }, region: startLine ? { startLine } : undefined } }];
  const log = { runs: [{ results: [
    { ruleId: 'limit', level: 'error', message: { text: 'app/work: 52, at most 50' }, locations: at('src/main.c', 7) },
    { message: { text: 'grew' }, locations: at('file:///else/a%20b.c') },
    { message: { text: 'nowhere' } },
  ] }] };
  const files = problems.read(JSON.stringify(log), '/work/app');
  assert.deepStrictEqual(files.get(path.resolve('/work/app/src/main.c')), [
    { line: 7, message: 'app/work: 52, at most 50', severity: 'error', code: 'limit' },
  ]);
  assert.strictEqual(files.get('/else/a b.c')[0].severity, 'warning');
  assert.strictEqual(files.size, 2);
});

/** What the extension uses of Visual Studio Code, remembering what it registers. */
function editor(registered) {
  const disposable = { dispose() {} };
  const collection = { clear() {}, set() {}, ...disposable };
  return {
    EventEmitter: class { constructor() { this.event = () => disposable; } fire() {} dispose() {} },
    ThemeColor: class {}, Range: class {}, CodeLens: class {}, MarkdownString: class {}, Diagnostic: class {},
    DebugAdapterExecutable: class { constructor(...all) { this.all = all; } },
    workspace: { getConfiguration: () => ({ get: (name) => ({ path: 'cyclescope', profile: [], gate: [] })[name] }), workspaceFolders: undefined },
    window: {
      visibleTextEditors: [], createTextEditorDecorationType: () => disposable, onDidChangeVisibleTextEditors: () => disposable,
      showErrorMessage: (text) => registered.errors.push(text),
    },
    languages: { createDiagnosticCollection: () => collection, registerCodeLensProvider: () => disposable },
    debug: { registerDebugAdapterDescriptorFactory: (type, factory) => { registered.debuggers[type] = factory; return disposable; } },
    commands: { registerCommand: (name, run) => { registered.commands[name] = run; return disposable; } },
  };
}

test('the extension registers what its manifest promises', async () => {
  const registered = { commands: {}, debuggers: {}, errors: [] };
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? editor(registered) : load(name, ...rest));
  try {
    require(path.join(root, manifest.main)).activate({ subscriptions: [] });
  } finally {
    Module._load = load;
  }
  assert.deepStrictEqual(Object.keys(registered.commands).sort(), manifest.contributes.commands.map((one) => one.command).sort());
  const [{ type }] = manifest.contributes.debuggers;
  const { all } = registered.debuggers[type].createDebugAdapterDescriptor();
  assert.deepStrictEqual(all.slice(0, 2), ['cyclescope', ['dap']]);
  await registered.commands['cyclescope.profile']();
  assert.match(registered.errors[0], /cyclescope\.profile/);
  registered.commands['cyclescope.clear']();
});
