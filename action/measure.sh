#!/usr/bin/env bash
# Runs the command of the action. With `gate`, the page goes to the step's summary and to the pull request's comment, and the results to
# the branch HISTORY, if these are wanted. The exit code is the command's.
set -euo pipefail

page=$RUNNER_TEMP/cyclescope.md
results=$RUNNER_TEMP/cyclescope.json
words=()
if [ "$COMMAND" = gate ]; then words+=(--annotate --markdown "$page"); fi
if [ "$COMMAND" = gate ] && [ -n "$HISTORY" ]; then words+=(--json "$results"); fi
rm -f "$page" "$results"
# The words of the arguments are words of the command.
# shellcheck disable=SC2086
code=0; cargo cyclescope "$COMMAND" "${words[@]}" $ARGUMENTS || code=$?

# A comment that each run renews; the first line of the page tells which one it is.
comment() {
  local mark='.[] | select(.body | startswith("<!-- cyclescope-gate -->")) | .id' all=repos/$GITHUB_REPOSITORY/issues ids
  ids=$(gh api --paginate "$all/$PULL_REQUEST/comments" --jq "$mark")
  if [ -n "$ids" ]; then
    gh api --silent --method PATCH "$all/comments/${ids%%$'\n'*}" --field "body=@$page"
  else
    gh api --silent --method POST "$all/$PULL_REQUEST/comments" --field "body=@$page"
  fi
}

# Adds the results of this commit to those on the branch, and draws all of them as its page `index.html`.
keep() {
  local name tree
  name=$(TZ=UTC git log -1 --date=format-local:%Y%m%dT%H%M%S --format=%cd-%h)
  tree=$(mktemp -d)/history
  if git fetch --quiet --depth=1 origin "$HISTORY"; then
    git worktree add --quiet --detach "$tree" FETCH_HEAD
  else
    git worktree add --quiet --detach "$tree"
    git -C "$tree" checkout --quiet --orphan cyclescope-history
    git -C "$tree" rm -rf --quiet .
  fi
  mkdir -p "$tree/results"
  (cd "$tree" && cyclescope gate "$results" --save --only --baseline "results/$name.json" && cyclescope report --trend results -o index.html)
  git -C "$tree" add results index.html
  git -C "$tree" -c user.name=cyclescope -c user.email=cyclescope@localhost commit --quiet -m "Results of $name"
  git -C "$tree" push --quiet origin "HEAD:refs/heads/$HISTORY"
  git worktree remove --force "$tree"
}

if [ -f "$page" ]; then
  if [ "$SUMMARY" = true ]; then cat "$page" >>"$GITHUB_STEP_SUMMARY"; fi
  if [ "$COMMENT" = true ] && [ -n "$PULL_REQUEST" ]; then comment; fi
fi
# A pull request's results are not the history's.
if [ -n "$HISTORY" ] && [ -z "$PULL_REQUEST" ] && [ "$code" -le 1 ] && [ -f "$results" ]; then keep; fi
exit "$code"
