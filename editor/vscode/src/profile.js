// The cycles of a profile (`cyclescope profile --json`, cyclescope-profile/1), by file.
'use strict';

const path = require('node:path');

const FORMAT = 'cyclescope-profile/1';

/** 1234567 as 1,234,567. */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

function counted(number, what) {
  return `${grouped(number)} ${what}${number === 1 ? '' : 's'}`;
}

/**
 * Reads a profile: for each file its lines (`line`, `text`, `hover`) and functions (`line`, `title`). Lines count from 1. Files that the
 * compiler recorded with a relative path are relative to `folder`.
 *
 * @throws if the text is no profile.
 */
function read(text, folder) {
  const profile = JSON.parse(text);
  if (!profile || profile.format !== FORMAT) {
    throw new Error(`this is not a profile of the format ${FORMAT}`);
  }
  const all = Math.max(1, profile.cycles || 0);
  const files = new Map();
  const of = (file) => {
    const whole = path.resolve(folder, file);
    if (!files.has(whole)) {
      files.set(whole, { lines: [], functions: [] });
    }
    return files.get(whole);
  };
  for (const line of profile.lines || []) {
    const causes = Object.entries(line.causes || {}).sort((a, b) => b[1] - a[1]);
    of(line.file).lines.push({
      line: line.line,
      text: grouped(line.cycles),
      hover: [
        `${counted(line.cycles, 'cycle')} (${((100 * line.cycles) / all).toFixed(1)} %), executed ${counted(line.count, 'time')}`,
        ...causes.map(([cause, cycles]) => `${cause}: ${grouped(cycles)}`),
      ].join('  \n'),
    });
  }
  for (const one of profile.functions || []) {
    if (one.file && one.line && one.inclusive > 0) {
      const mean = one.calls > 0 ? `, ${grouped(Math.round(one.inclusive / one.calls))} for each of ${counted(one.calls, 'call')}` : '';
      const title = `${counted(one.inclusive, 'cycle')}${mean}; ${grouped(one.exclusive)} of its own`;
      of(one.file).functions.push({ line: one.line, title });
    }
  }
  return files;
}

module.exports = { read, grouped };
