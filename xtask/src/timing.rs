//! x
use anyhow::Result;
/// x
pub fn check() -> Result<()> {
    Ok(())
}
