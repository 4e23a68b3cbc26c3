//! Writes a sample report: `cargo run -p cotangent-report --example sample -- out.html [NAME]`,
//! where NAME is `pendulum` (unless given), `awkward` or `enormous`.

#[path = "../tests/samples/mod.rs"]
mod samples;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("give the name of the file to write, such as out.html")?;
    cotangent_report::check_destination(&path)?;
    let report = match arguments.next().as_deref() {
        None | Some("pendulum") => samples::sample(),
        Some("awkward") => samples::awkward(),
        Some("enormous") => samples::enormous(),
        Some(other) => return Err(format!("there is no sample `{other}`; try pendulum, awkward or enormous").into()),
    };
    report.write(&path)?;
    Ok(())
}
