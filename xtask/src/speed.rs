//! x
use anyhow::Result;
/// x
pub fn check() -> Result<()> {
    Ok(())
}
/// x
pub fn compare() -> Result<()> {
    Ok(())
}
