// Cyclescope in Visual Studio Code: its debug adapter, the cycles of a profile beside the code, and the problems of a gate.
'use strict';

const { execFile } = require('node:child_process');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const vscode = require('vscode');

const problems = require('./problems');
const profile = require('./profile');

/** What is shown: files with lines and functions. */
let shown = new Map();
const changed = new vscode.EventEmitter();

function settings() {
  return vscode.workspace.getConfiguration('cyclescope');
}

function folder() {
  const first = (vscode.workspace.workspaceFolders || [])[0];
  return first ? first.uri.fsPath : process.cwd();
}

/** Runs a command that writes a file, and returns what it wrote. A gate that fails wrote its problems, too. */
async function written(command, args, option) {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'cyclescope-'));
  const file = path.join(directory, 'result.json');
  try {
    const failure = await new Promise((resolve) => {
      const whole = [command, ...args, option, file];
      execFile(settings().get('path'), whole, { cwd: folder(), maxBuffer: 1 << 26 }, (error, _, stderr) => resolve(error && (stderr || error.message)));
    });
    return await fs.readFile(file, 'utf8').catch(() => {
      throw new Error(failure || 'nothing was written');
    });
  } finally {
    await fs.rm(directory, { recursive: true, force: true });
  }
}

/** Runs something, and shows why it cannot be done. */
async function attempt(what) {
  try {
    await what();
  } catch (error) {
    vscode.window.showErrorMessage(`Cyclescope: ${error.message}`);
  }
}

function drawn(decoration) {
  for (const editor of vscode.window.visibleTextEditors) {
    const file = shown.get(editor.document.uri.fsPath);
    const lines = ((file && file.lines) || []).filter((line) => line.line <= editor.document.lineCount);
    editor.setDecorations(decoration, lines.map((line) => ({
      range: new vscode.Range(line.line - 1, 0, line.line - 1, 0),
      hoverMessage: new vscode.MarkdownString(line.hover),
      renderOptions: { before: { contentText: line.text } },
    })));
  }
}

const lenses = {
  onDidChangeCodeLenses: changed.event,
  provideCodeLenses(document) {
    const file = shown.get(document.uri.fsPath);
    return ((file && file.functions) || []).map(({ line, title }) => {
      return new vscode.CodeLens(new vscode.Range(line - 1, 0, line - 1, 0), { title, command: '' });
    });
  },
};

function activate(context) {
  const decoration = vscode.window.createTextEditorDecorationType({
    before: { width: '7em', margin: '0 1em 0 0', color: new vscode.ThemeColor('editorLineNumber.foreground') },
  });
  const diagnostics = vscode.languages.createDiagnosticCollection('cyclescope');
  const show = (files) => {
    shown = files;
    changed.fire();
    drawn(decoration);
  };
  const severity = (name) => vscode.DiagnosticSeverity[name[0].toUpperCase() + name.slice(1)];
  const commands = {
    profile: () => attempt(async () => {
      const args = settings().get('profile');
      if (args.length === 0) {
        throw new Error('the setting `cyclescope.profile` has the arguments: the ELF file, and `--board`');
      }
      show(profile.read(await written('profile', args, '--json'), folder()));
    }),
    gate: () => attempt(async () => {
      const args = settings().get('gate');
      if (args.length === 0) {
        throw new Error('the setting `cyclescope.gate` has the arguments: the file of results');
      }
      const found = problems.read(await written('gate', args, '--sarif'), folder());
      diagnostics.clear();
      for (const [file, all] of found) {
        diagnostics.set(vscode.Uri.file(file), all.map((problem) => {
          const range = new vscode.Range(problem.line - 1, 0, problem.line - 1, 1000);
          const diagnostic = new vscode.Diagnostic(range, problem.message, severity(problem.severity));
          diagnostic.source = 'cyclescope';
          diagnostic.code = problem.code;
          return diagnostic;
        }));
      }
    }),
    clear: () => {
      diagnostics.clear();
      show(new Map());
    },
  };
  context.subscriptions.push(
    decoration,
    diagnostics,
    changed,
    vscode.window.onDidChangeVisibleTextEditors(() => drawn(decoration)),
    vscode.languages.registerCodeLensProvider([{ language: 'c' }, { language: 'cpp' }, { language: 'rust' }], lenses),
    vscode.debug.registerDebugAdapterDescriptorFactory('cyclescope', {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(settings().get('path'), ['dap'], { cwd: folder() }),
    }),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`cyclescope.${name}`, run)),
  );
}

module.exports = { activate, deactivate() {} };
